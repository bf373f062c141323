# frozen_string_literal: true

module Spate
  module Install
    module Folders
      # Creates wrappers in the bundle for the executables of path gems. Their other files are used in place.
      class PathStep
        def initialize(context)
          @context = context
          @folder = "#{context.layout.root}/bin"
        end

        # specs: [Gemfile::PathSpec]. names: names of the path gems in the plan.
        def call(specs, names)
          specs.select { |spec| names.include?(spec.name) }.each { |spec| wrap(spec) }
        end

        # spec: Gemfile::PathSpec, or an object with its methods name, version, folder, bindir and executables.
        def wrap(spec)
          missing = spec.executables.select { |name| present?(spec, name) && !File.file?("#{@folder}/#{name}") }
          return if missing.empty?

          texts = texts(spec)
          Util::Files.make_folder(@folder)
          missing.each { |name| BundleFolder.write("#{@folder}/#{name}", texts.fetch(name), mode: 0o755) }
        end

        # Whether the executable exists. Also makes the file executable, like RubyGems.
        def present?(spec, name)
          path = File.expand_path("#{spec.folder}/#{spec.bindir}/#{name}", @context.location.root)
          return false unless File.file?(path)

          mode = File.stat(path).mode
          File.chmod(mode | 0o111, path) unless mode & 0o111 == 0o111
          true
        end

        def texts(spec)
          dialect = Specification::Dialect.recall(@context.store, @context.rubygems_key) || nil
          return spec.executables.to_h { |name| [name, dialect.wrapper(spec.name, name)] } if dialect&.wraps?(spec)

          key = "path-#{Store.sha256([spec.name, *spec.executables].join("\n"))}"
          known = Specification::GeneratedFiles.recall(@context.store, @context.rubygems_key, key)
          known ? known.wrappers : wrappers(spec).tap { |texts| keep(texts, key) }
        end

        def wrappers(spec)
          scratch = @context.store.temporary("texts")
          Specification::RubygemsMetadata.wrappers(spec.name, spec.version, spec.executables, scratch,
                                                   bindir: spec.bindir)
        ensure
          Store::Sweep.remove(scratch) if scratch
        end

        def keep(wrappers, key)
          generated = Specification::GeneratedFiles.new(specification: "", wrappers: wrappers)
          generated.keep(@context.store, @context.rubygems_key, key)
        end
      end
    end
  end
end
