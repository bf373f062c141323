# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # `spate exec ruby ...`: starts the same Ruby again, without RubyGems, with Spate's start as the first library.
      # Two starts of Ruby without RubyGems cost less than one with it.
      module Interpreter
        # Options that need an ordinary start: `-S` searches the PATH, `-r` loads before Bundler sets up, --disable and
        # --enable choose what Ruby loads, --parser makes it another Ruby.
        SPECIAL = /\A(--(disable|enable|parser)|-[A-Za-z]*[Srx])/
        WITH_OPERAND = %w[-e -I -C -E -F].freeze

        class << self
          # Replaces this process; nil if an ordinary start is needed.
          def again(name, arguments, close_others: false)
            return unless plain?(arguments) && ENV["RUBYOPT"].to_s.empty? && (path = ours(name))

            ENV[Children::RUBY] = Children.ruby
            words = ["--disable-gems", "-r#{Children::FILE}", *arguments]
            # By the name under which it was found, since Ruby's messages begin with it.
            Process.exec([own, File.absolute_path?(path) ? path : "./#{path}"], *words, close_others: close_others)
          end

          # Starts this program again: as the launcher does, if RubyGems' wrapper started it, or if Ruby needs heap
          # settings.
          def spate(options, command)
            return Heap.unset(ENV) if ENV.key?(Heap::MARK)
            return unless ENV["RUBYOPT"].to_s.empty?

            alone = !defined?(::Gem::VERSION)
            heap = Heap.environment(ENV, command)
            program = File.expand_path("../exe/spate", LIBRARY)
            return if (alone && heap.empty?) || !File.exist?(program)

            Process.exec(heap, own, "--disable-gems", program, "exec", *options, "--", *command)
          end

          private

          # The file of that name on the PATH, if it is this very Ruby.
          def ours(name)
            return unless name == "ruby" || name.end_with?("/ruby", File.basename(own))

            path = Program.find(name)
            path if path && File.realpath(path) == own
          rescue SystemCallError
            nil
          end

          def own
            @own ||= begin
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
