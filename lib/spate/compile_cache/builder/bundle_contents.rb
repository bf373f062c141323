# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # The contents of a bundle: load path and gem folders. They come from the record of the Bundler replay. If the
      # replay cannot be used, the real Bundler is run, because compile caches and the load-path cache are useful for
      # such a bundle too.
      class BundleContents
        SCRIPT = "#{__dir__}/bundle_contents_script.rb".freeze

        # record: Gemfile::Setup::Record or nil. env: the user's environment before Bundler changed it.
        def initialize(location, record, env)
          @location = location
          @record = record
          @env = env
        end

        # Absolute paths of the folders in $LOAD_PATH after the bundle's setup, in order.
        def load_path = (found.first + rubys).uniq

        # [GemFiles] of installed gems.
        def gems
          @gems ||= installed.map { |dir, require_paths| GemFiles.new(dir, require_paths: require_paths) }
        end

        # Folders of gems from path sources.
        def own = found.last.map(&:first) - installed.map(&:first)

        private

        def installed = @installed ||= found.last.select { |dir, _| installed?(dir) }

        # Whether the folder is gems/NAME-VERSION beside specifications/, or in a git checkout by Bundler.
        def installed?(dir)
          dir.include?("/bundler/gems/") || File.directory?("#{File.dirname(dir, 2)}/specifications")
        end

        # [load path, [[gem folder, require paths]]]
        def found
          @found ||= utf8(*(recorded || (load_gems if @location.gemfile) || [[], []]))
        end

        def recorded
          contents = @record&.contents
          contents unless contents.nil? || contents.last.empty?
        end

        # Converts paths to the encoding of paths in compile caches, regardless of the locale.
        def utf8(load_path, gems)
          text = ->(path) { path.dup.force_encoding(Encoding::UTF_8) }
          [load_path.map(&text), gems.map { |dir, require_paths| [text.call(dir), require_paths&.map(&text)] }]
        end

        def load_gems
          require_relative "../../tracer"
          Tracer::ReadOnly.run(@env.merge("BUNDLE_GEMFILE" => @location.gemfile), SCRIPT,
                               chdir: @location.root, %i[out err] => File::NULL, &:value)
        end

        # Ruby's default folders. This process was started without options that add others.
        def rubys
          $LOAD_PATH.map(&:to_s)
                    .reject { |path| path == Boot::LIBRARY || File.exist?("#{path}/spate/native/boot.so") }
        end
      end
    end
  end
end
