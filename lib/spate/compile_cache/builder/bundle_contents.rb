# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # The contents of a bundle: load path and gem folders. The Bundler replay's record has it; if that may not be
      # used, the real Bundler is asked again, because compile caches and load-path cache serve that bundle just as
      # well.
      class BundleContents
        SCRIPT = "#{__dir__}/bundle_contents_script.rb".freeze

        # record: Gemfile::Setup::Record or nil. env: the user's, before Bundler changed it.
        def initialize(location, record, env)
          @location = location
          @record = record
          @env = env
        end

        # Folders, absolute, as in $LOAD_PATH after the bundle is set up.
        def load_path = (found.first + rubys).uniq

        # [GemFiles] of installed gems.
        def gems
          @gems ||= installed.map { |dir, require_paths| GemFiles.new(dir, require_paths: require_paths) }
        end

        # Folders of gems under development: those of PATH sources.
        def own = found.last.map(&:first) - installed.map(&:first)

        private

        def installed = @installed ||= found.last.select { |dir, _| installed?(dir) }

        # gems/NAME-VERSION beside specifications/, or a checkout of Bundler's.
        def installed?(dir)
          dir.include?("/bundler/gems/") || File.directory?("#{File.dirname(dir, 2)}/specifications")
        end

        # [load path, [[gem folder, require paths]]]
        def found
          @found ||= utf8(*(recorded || (ask if @location.gemfile) || [[], []]))
        end

        def recorded
          contents = @record&.contents
          contents unless contents.nil? || contents.last.empty?
        end

        # In the encoding of compile caches' paths, regardless of the locale.
        def utf8(load_path, gems)
          text = ->(path) { path.dup.force_encoding(Encoding::UTF_8) }
          [load_path.map(&text), gems.map { |dir, require_paths| [text.call(dir), require_paths&.map(&text)] }]
        end

        def ask
          require_relative "../../tracer"
          Tracer::ReadOnly.run(@env.merge("BUNDLE_GEMFILE" => @location.gemfile), SCRIPT,
                               chdir: @location.root, %i[out err] => File::NULL, &:value)
        end

        # The folders that Ruby itself searches: this process was started without options that add to it.
        def rubys
          $LOAD_PATH.map(&:to_s)
                    .reject { |path| path == Boot::LIBRARY || File.exist?("#{path}/spate/native/boot.so") }
        end
      end
    end
  end
end
