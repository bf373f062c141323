# frozen_string_literal: true

module Spate
  module CLI
    class Completion < Command
      # Possible completions of a command line, taken from the declarations of the commands. The words of a usage are
      # literal, except GEM, COMMAND and NAME, which are replaced by names of gems or commands.
      class Words
        # Commands of Bundler that take names of gems.
        OF_GEMS = %w[info open pristine remove show update].freeze
        GEMS = /\A(?:GEMS?|NAME)\z/
        # Excludes text that a shell may not parse as a single word.
        PLAIN = /\A(?:--[\w-]+=)?[\w.+@-]+\z/

        # words: all words after `spate`. The last one is the word to complete, and may be empty.
        def initialize(words, env:, terminal:)
          *@before, @last = words
          @last = @last.to_s
          @env = env
          @terminal = terminal
        end

        # Returns [[word, meaning or nil]], or [] if the shell should complete file names.
        def call
          found = @before.empty? ? commands : completions
          found.select { |word,| word.start_with?(@last) && word.match?(PLAIN) }
        end

        private

        def completions
          name, *given = @before
          name = ALIASES.fetch(name, name)
          return (OF_GEMS.include?(name) ? gems : []) unless COMMANDS.key?(name)

          @command = CLI.const_get(COMMANDS[name])
          return [] if given.include?("--")

          return assigned if @last.match?(/\A--[\w-]+=/)

          asking = argument(given)
          return completions_of(asking) if asking
          return options if @last.start_with?("-")

          usages = @command.usages.map { |usage| usage.delete_prefix("spate #{name} ").split(/ {2,}/, 2) }
          usages.flat_map { |usage, meaning| operand(usage, meaning, operands(given)) }.uniq(&:first)
        end

        def commands
          own = COMMANDS.map { |name, constant| [name, CLI.const_get(constant).summary] }
          own + (PassThrough::COMMANDS - COMMANDS.keys).map { |name| [name, "Bundler's"] }
        end

        def options
          @command.options.flat_map { |one| one.spellings.grep(/\A--/).map { |name| [name, one.description] } }
        end

        # Completes the value in `--name=value`.
        def assigned
          name, = @last.split("=", 2)
          completions_of(known(name)&.argument).map { |word, meaning| ["#{name}=#{word}", meaning] }
        end

        # The placeholder ("FILE") of the option whose value is being completed, or nil.
        def argument(given)
          return "" if @last == "="

          given = given[0..-2] if given.last == "=" # bash splits words at "="
          known(given.last)&.argument unless @last.start_with?("-")
        end

        def known(word) = @command.options.find { |option| option.spellings.include?(word) }

        def operands(given)
          given.each_with_index.filter_map do |word, index|
            word unless word.start_with?("-") || (index.positive? && known(given[index - 1])&.argument)
          end
        end

        # Completions of the next word of a usage, if the operands so far match it.
        def operand(usage, meaning, given)
          words = usage.delete("[]").split.reject { |word| word == "options" || word.start_with?("-") }
          words[-1, 1] = [words[-2]] * given.size if words.last == "..."
          fits = given.zip(words).all? { |one, word| one == word || word&.match?(/[A-Z]/) }
          fits ? completions_of(words[given.size], meaning) : []
        end

        # Returns the completions for a placeholder or literal word. word: from a usage or an option's argument.
        def completions_of(word, meaning = nil)
          case word
          when GEMS then gems
          when "COMMAND" then @command == Help ? commands : programs
          when /\A[a-z|]+\z/ then word.split("|").map { |one| [one, meaning] }
          else []
          end
        end

        # The gems in the lockfile. Does not run Bundler.
        def gems
          context = Command::Context.new(values: {}, env: @env, terminal: @terminal)
          context.lockfile.specs.map { |spec| [spec.name, spec.version.to_s] }.uniq(&:first)
        rescue Error, SystemCallError
          []
        end

        # Executables of the bundle and on the PATH.
        def programs
          folders = [bundled, *@env["PATH"].to_s.split(File::PATH_SEPARATOR)].compact.select { |path| Dir.exist?(path) }
          folders.flat_map { |path| Dir.children(path) }.uniq.map { |name| [name] }
        end

        def bundled
          Command::Context.new(values: {}, env: @env, terminal: @terminal).layout.then { |layout| "#{layout.root}/bin" }
        rescue Error, SystemCallError
          nil
        end
      end
    end
  end
end
