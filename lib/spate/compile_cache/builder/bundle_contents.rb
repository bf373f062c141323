# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # The contents of a bundle: load path and gem folders, from the Bundler replay's record. If the replay may not be
      # used, the real Bundler is queried, because compile caches and load-path cache are also useful for that bundle.
      class BundleContents
        SCRIPT = "#{__dir__}/bundle_contents_script.rb".freeze

        # record: Gemfile::Setup::Record or nil. env: the user's environment before Bundler changed it.
        def initialize(location, record, env)
          @location = location
          @record = record
          @env = env
        end

        # Absolute folders in the order of $LOAD_PATH after the bundle's setup.
        def load_path = (found.first + rubys).uniq

        # [GemFiles] of installed gems.
        def gems
          @gems ||= installed.map { |dir, require_paths| GemFiles.new(dir, require_paths: require_paths) }
        end

        # Folders of gems under development, from PATH sources.
        def own = found.last.map(&:first) - installed.map(&:first)

        private

        def installed = @installed ||= found.last.select { |dir, _| installed?(dir) }

        # Whether the folder is gems/NAME-VERSION beside specifications/, or a checkout of Bundler.
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

        # In the encoding of the paths in compile caches, regardless of the locale.
        def utf8(load_path, gems)
          text = ->(path) { path.dup.force_encoding(Encoding::UTF_8) }
          [load_path.map(&text), gems.map { |dir, require_paths| [text.call(dir), require_paths&.map(&text)] }]
        end

        def ask
          require_relative "../../tracer"
          Tracer::ReadOnly.run(@env.merge("BUNDLE_GEMFILE" => @location.gemfile), SCRIPT,
                               chdir: @location.root, %i[out err] => File::NULL, &:value)
        end

        # The folders that Ruby itself searches; this process was started without options that add folders.
        def rubys
          $LOAD_PATH.map(&:to_s)
                    .reject { |path| path == Boot::LIBRARY || File.exist?("#{path}/spate/native/boot.so") }
        end
      end
    end
  end
end
