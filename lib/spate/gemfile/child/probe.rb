# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Whether more than a gemspec's list of files depends on the names that `git ls-files` prints: whether its values
      # change when evaluated with no names, and with names that match its own patterns. Programs in the usual folders
      # do not count: these are checked separately.
      class Probe
        FILES = %i[files test_files extra_rdoc_files executables].freeze
        USUAL = %r{\A(?:bin|exe|libexec)/[^/]*\z}
        NAME = %r{\A[\w./-]{1,80}\z}

        # hooks: Hooks, which pass the command's words and output to `probing`.
        def initialize(path, hooks)
          @path = path
          @hooks = hooks
          @usual = []
        end

        def decides?
          plain, none, more = [->(_, text) { text }, ->(*) { "" }, ->(*said) { more(*said) }].map { |said| facts(said) }
          programs = [plain, none, more].map { |_, names| (names - @usual).sort }
          [plain, none, more].map(&:first).uniq.size > 1 || programs.uniq.size > 1
        end

        private

        # [values, names of programs]; [nil, []] if it cannot be evaluated.
        def facts(said)
          @hooks.probing = said
          text = File.read(@path)
          spec = Dir.chdir(File.dirname(@path)) { eval(text, TOPLEVEL_BINDING.dup, @path) } # rubocop:disable Security/Eval -- as Bundler does
          [(Gem::Specification.attribute_names - FILES).map { |name| Array(spec.public_send(name)).map(&:to_s) },
           spec.executables.map(&:to_s)]
        rescue Exception # rubocop:disable Lint/RescueException -- as Bundler does
          [nil, []]
        ensure
          @hooks.probing = nil
        end

        # The command's output, plus other names.
        def more(words, text)
          words = words.one? ? words.first.delete("'\"").split : words
          mark = words.grep(/\A-\w*z/).any? ? "\0" : "\n"
          names = text.split(mark) | names(words)
          @usual |= names.grep(USUAL).map { |name| File.basename(name) }
          names.join(mark) + mark
        end

        # Names that the command's own patterns match.
        def names(words)
          patterns = words.drop(words.index("ls-files") + 1).grep_v(%r{\A[-:]|>|\A/dev/})
          return literals if patterns.empty?

          patterns.flat_map { |text| braces(text) }
                  .map { |text| text.include?("*") ? text.gsub(/\*+/, "probe") : "#{text}/probe" }
        end

        def braces(text)
          choice = text[/\{(.*?)\}/, 1] or return [text]
          choice.split(",").flat_map { |one| braces(text.sub(/\{.*?\}/, one)) }
        end

        # Names like the gemspec's own texts, and names that its regular expressions match.
        def literals
          found = walk(RubyVM::InstructionSequence.compile_file(@path).to_a)
          texts = found.grep(String).flat_map { |text| [text, "#{text}probe", "probe#{text}"] }
          samples = found.grep(Regexp).filter_map { |pattern| sample(pattern) }
          ["probe", *texts, *samples].grep(NAME).uniq
        end

        def walk(part)
          case part
          when Array then part.flat_map { |one| walk(one) }
          when String, Regexp then [part]
          else []
          end
        end

        # A simple text that the pattern matches; nil if none is found.
        def sample(pattern)
          text = pattern.source.gsub(/\\[AzZb]|[\^$]/, "").gsub(/\[[^\]]*\]|\\[wh]|(?<!\\)\./, "x")
          nil while text.gsub!(/\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)[?*+]?/, '\1')
          text = text.split("|").first.to_s.gsub(/[*+?]|\\/, "")
          text if pattern.match?(text)
        end
      end
    end
  end
end
