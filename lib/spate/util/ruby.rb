# frozen_string_literal: true

module Spate
  module Util
    # Facts about the running Ruby and its RubyGems. Avoids loading RubyGems and `rbconfig`, since that takes 3 ms, a
    # third of Ruby's own start.
    module Ruby
      # Matches "+YJIT", "+YJIT dev" and "+MJIT", but not "+PRISM", which is a parser.
      JIT = / \+[A-Z]?JIT(?: (?:dev|dev_nodebug|stats))*(?= )/
      VERSION_DIRECTORY = /^ *CONFIG\["ruby_version"\] = "([\w.+-]+)"/

      class << self
        # The path of the executable, e.g. "/usr/bin/ruby3.1".
        def path
          @path ||= begin
            File.readlink("/proc/self/exe")
          rescue SystemCallError
            require "rbconfig"
            RbConfig.ruby
          end
        end

        # Identifies this Ruby. Removes the JIT from the description, since it does not affect compiled code and builds.
        def description(text = RUBY_DESCRIPTION) = text.gsub(JIT, "")

        # "3.1.0", with a suffix if Ruby was built with one.
        def api_version
          @api_version ||= (config_path && File.read(config_path)[VERSION_DIRECTORY, 1]) || config("ruby_version")
        end

        # "3.1"
        def abi = @abi ||= RUBY_VERSION[/\A\d+\.\d+/]

        # The path of `rbconfig.rb`, or nil if the configuration is not in a Ruby file.
        def config_path
          kind, path = $LOAD_PATH.resolve_feature_path("rbconfig")
          path if kind == :rb
        end

        # A value of RbConfig, e.g. "CC" => "x86_64-linux-gnu-gcc".
        def config(name)
          require "rbconfig"
          RbConfig::CONFIG[name]
        end

        # RbConfig's "arch". For CRuby, derives it from RUBY_PLATFORM to avoid loading rbconfig.
        def arch
          return config("arch") if RUBY_ENGINE == "jruby" || defined?(RbConfig)

          RUBY_PLATFORM.sub(/\Auniversal\.[^-]*/, "universal")
        end

        # "3.3.15", or nil if unknown.
        def rubygems_version
          return Gem::VERSION if defined?(Gem::VERSION)

          folder = $LOAD_PATH.find { |path| File.file?("#{path}/rubygems.rb") }
          folder && File.read("#{folder}/rubygems.rb")[/^\s*VERSION = "([^"]+)"/, 1]
        end
      end
    end
  end
end
