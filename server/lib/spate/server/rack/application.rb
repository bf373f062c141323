# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Loads a config.ru.
      module Application
        # Raised when the application raised an error while it was loaded. The message contains the line of the
        # application.
        class LoadFailure < Error
          # path: the path of the config.ru. error: the error of the application.
          def initialize(path, error)
            message = error.message.scrub
            place = place(path, message, error)
            reason = message.lines.first.to_s.chomp.sub(/ for #<.*/, "") # the receiver is Rack's builder
            super("#{place}: #{reason.delete_prefix("#{place}: ")} (#{error.class})",
                  hint: "#{path} raised this error: fix it and start again")
          end

          private

          # Returns "app/models.rb:3", relative to the current folder. Returns the path of the config.ru when the line
          # is unknown.
          def place(path, message, error)
            lines = [message, *error.backtrace].filter_map { |line| line[/\A([^<].*?:\d+)(?::|$)/, 1] }
            root = "#{File.dirname(File.expand_path(path))}/"
            own = lines.find { |line| File.expand_path(line).start_with?(root) } || lines.first || path
            File.expand_path(own).delete_prefix("#{Dir.pwd}/")
          end
        end

        # Load paths of this gem and its dependencies. They are added again after Bundler has removed the load paths of
        # gems that are not in the Gemfile.
        FOLDERS = $LOADED_FEATURES.grep(%r{/spate/(?:server|bytes)\.rb\z})
                                  .map { |path| path[%r{.*(?=/spate/)}] }.uniq.freeze

        # Returns the application of a config.ru. Raises Server::Error.
        def self.load(path)
          raise Error.new("#{path} is not a file", hint: "name an existing config.ru") unless File.file?(path)

          ENV["RACK_ENV"] ||= "development"
          bundle(File.dirname(File.expand_path(path)))
          builder(path)
          build(path)
        end

        # Sets up the gems of the application's Gemfile, including rack.
        def self.bundle(folder)
          gemfile = File.join(folder, "Gemfile")
          return if defined?(::Bundler) || !(ENV["BUNDLE_GEMFILE"] || File.file?(gemfile))

          ENV["BUNDLE_GEMFILE"] ||= gemfile
          require "bundler/setup"
          $LOAD_PATH.concat(FOLDERS - $LOAD_PATH)
        rescue StandardError => e
          raise unless defined?(::Bundler::BundlerError) && e.is_a?(::Bundler::BundlerError)

          raise Error.new("#{ENV.fetch("BUNDLE_GEMFILE")}: #{e.message}",
                          hint: "`spate install` installs the gems that it names")
        end
        private_class_method :bundle

        def self.builder(path)
          require "uri" # Rack 2 uses it without requiring it
          require "rack"
          require "rack/builder"
        rescue LoadError => e
          raise unless e.path == "rack"

          gemfile = ENV.fetch("BUNDLE_GEMFILE", nil)
          hint = gemfile ? "add it to #{gemfile}" : "gem install rack, or add it to a Gemfile in the same folder"
          raise Error.new("#{path} needs the gem rack, which is not installed", hint: hint)
        end
        private_class_method :builder

        def self.build(path)
          Array(::Rack::Builder.parse_file(path)).first
        rescue ScriptError, StandardError => e
          raise LoadFailure.new(path, e)
        end
        private_class_method :build
      end
    end
  end
end
