# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Handles `spate exec ruby ...`: restarts the same Ruby without RubyGems and with Spate's setup file as the first
      # library. Two starts of Ruby without RubyGems are faster than one with it.
      module Interpreter
        # Options that need an ordinary start: `-S` searches the PATH, `-r` loads a file before Bundler's setup,
        # --disable and --enable choose what Ruby loads, --parser selects another parser.
        SPECIAL = /\A(--(disable|enable|parser)|-[A-Za-z]*[Srx])/
        WITH_OPERAND = %w[-e -I -C -E -F].freeze

        class << self
          # Replaces this process. Returns nil if an ordinary start is needed.
          def exec_ruby(name, arguments, close_others: false)
            return unless plain?(arguments) && ENV["RUBYOPT"].to_s.empty? && (path = path_of_this_ruby(name))

            ENV[Children::RUBY] = Children.ruby
            words = ["--disable-gems", "-r#{Children::FILE}", *arguments]
            # Uses the name under which the program was found, since Ruby's messages begin with that name.
            Process.exec([executable_path, File.absolute_path?(path) ? path : "./#{path}"], *words,
                         close_others: close_others)
          end

          # Restarts this program like the launcher does, if RubyGems' wrapper started it or Ruby needs heap settings.
          def spate(options, command)
            return Heap.unset(ENV) if ENV.key?(Heap::MARK)
            return unless ENV["RUBYOPT"].to_s.empty?

            alone = !defined?(::Gem::VERSION)
            heap = Heap.environment(ENV, command)
            program = File.expand_path("../exe/spate", LIBRARY)
            return if (alone && heap.empty?) || !File.exist?(program)

            Process.exec(heap, executable_path, "--disable-gems", program, "exec", *options, "--", *command)
          end

          private

          # Returns the path of the program with that name if it is the running Ruby.
          def path_of_this_ruby(name)
            return unless name == "ruby" || name.end_with?("/ruby", File.basename(executable_path))

            path = Program.find(name)
            path if path && File.realpath(path) == executable_path
          rescue SystemCallError
            nil
          end

          def executable_path
            @executable_path ||= begin
              File.readlink("/proc/self/exe")
            rescue SystemCallError
              require "rbconfig"
              File.realpath(RbConfig.ruby)
            end
          end

          def plain?(arguments)
            words = arguments.dup
            while (word = words.shift)&.start_with?("-")
              return false if word.match?(SPECIAL)

              words.shift if WITH_OPERAND.include?(word)
            end
            true
          end
        end
      end
    end
  end
end
