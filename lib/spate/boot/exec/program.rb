# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Finds and runs the program of `spate exec` like `bundle exec` does: a Ruby script is loaded into this process,
      # any other program replaces the process.
      class Program
        NOT_EXECUTABLE = 126
        NOT_FOUND = 127
        MISUSED = 2
        OWN = "spate"
        SHEBANGS = ["#!/usr/bin/env ruby\n", "#!/usr/bin/env jruby\n", "#!/usr/bin/env truffleruby\n"].freeze

        # Like Bundler's `which`: a file with that name relative to the current folder, or else the first on the PATH.
        def self.find(name)
          return name if executable?(name)

          ENV["PATH"].to_s.split(File::PATH_SEPARATOR).each do |folder|
            path = File.expand_path(name, folder.delete_prefix('"').delete_suffix('"'))
            return path if executable?(path)
          end
          nil
        end

        def self.executable?(path) = File.file?(path) && File.executable?(path)
        private_class_method :executable?

        # complete: a callable that returns whether every gem of the bundle is installed.
        def initialize(name, arguments, complete:, close_others: false)
          @name = name
          @arguments = arguments
          @complete = complete
          @close_others = close_others
        end

        def run
          path = Program.find(@name)
          return replace(@name) unless path
          return load(path) if ENV["BUNDLE_DISABLE_EXEC_LOAD"].to_s.empty? && ruby?(path)

          replace(File.absolute_path?(path) ? path : "./#{path}")
        end

        private

        def ruby?(path)
          first = File.open(path, "rb") { |file| file.gets("\n", 200) }
          return SHEBANGS.include?(first) || this_ruby?(first) if first

          warn "#{path} is empty"
          false
        end

        # RubyGems writes the name of its Ruby into the programs of gems, such as `ruby3.1` on Debian.
        def this_ruby?(shebang)
          require "rbconfig"
          name = RbConfig::CONFIG["ruby_install_name"]
          return shebang == "#!#{RbConfig.ruby}\n" unless shebang == "#!/usr/bin/env #{name}\n"

          path = Program.find(name)
          !path.nil? && File.identical?(path, RbConfig.ruby)
        end

        def replace(path)
          BootEnd.finish(:exec)
          Process.exec(changes, path, *@arguments, close_others: @close_others)
        rescue Errno::EACCES, Errno::ENOEXEC
          warn "error: not executable: #{@name}", "hint: chmod +x #{@name}"
          exit NOT_EXECUTABLE
        rescue Errno::ENOENT
          warn "error: command not found: #{@name}", "hint: #{missing_hint}"
          exit NOT_FOUND
        end

        # Returns a hint about where to find the program.
        def missing_hint
          near = similar and return "did you mean #{near}?"
          return "gems of the bundle are missing: spate install" unless @complete.call

          "neither the bundle nor a folder of the PATH has this program; to add the gem that has it: spate add GEM"
        end

        # The first program whose name differs by one typing error, preferring the bundle's folder to the rest of the
        # PATH. Larger differences are ignored: a PATH has thousands of short names, one of which is always similar.
        def similar
          require_relative "../../util"
          ENV["PATH"].to_s.split(File::PATH_SEPARATOR).each do |folder|
            names = Dir.exist?(folder) ? Dir.children(folder) : []
            near = names.find { |name| typo?(name) && Program.find(name) } and return near
          rescue SystemCallError
            next
          end
          nil
        end

        def typo?(name)
          (name.length - @name.length).abs <= 1 && @name.length > 2 && Util::Suggestion.distance(@name, name) == 1
        end

        # Environment changes for the new program. Restores the variables that bundler/setup changes but `bundle exec`
        # does not.
        def changes
          session = Boot.session
          return {} unless session&.on?(:replay)

          %w[GEM_HOME GEM_PATH MANPATH].to_h { |key| [key, session.environment[key]] }
        end

        def load(path)
          ARGV.replace(@arguments)
          $0 = path
          Session.kind
          Process.setproctitle([path, *@arguments].join(" "))
          BundlerSetup.set_up
          Signal.trap("INT", "DEFAULT")
          Kernel.load(path)
        rescue SystemExit, SignalException
          raise
        rescue Exception => e # rubocop:disable Lint/RescueException -- reported and raised again
          own_command if File.basename(path) == OWN && e.class.name.to_s.start_with?("Gem::")
          warn "spate: failed to load command: #{@name} (#{path})"
          raise
        end

        # RubyGems' wrapper searches for Spate in the bundle, which may not contain it.
        def own_command
          BootEnd.give_up
          words = [OWN, *@arguments].join(" ")
          warn "error: #{OWN} is not part of the bundle",
               "hint: it sets up the bundle itself: run it without `spate exec`: #{words}"
          exit MISUSED
        end
      end
    end
  end
end
