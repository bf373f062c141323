# frozen_string_literal: true

require "rbconfig"

module Spate
  module Gemfile
    module Child
      # Whether code or a file belongs to the application, to Ruby's library or to the tools.
      class CodeOrigin
        INTERNAL = %r{\A<internal:(?!/)}
        # A file of RubyGems, in the form that newer Rubies use.
        HIDDEN = %r{\A<internal:(/.+)>\z}
        SPATE = "#{File.expand_path("../../..", __dir__)}/".freeze

        # Prefixes of paths whose files change only together with Ruby, RubyGems, Bundler or Spate.
        attr_reader :libraries

        def initialize
          config = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").compact.map { |path| "#{path}/" }
          bundler = File.dirname(Bundler.method(:setup).source_location.first)
          rubygems = File.dirname(Gem.method(:path).source_location.first)
          @tools = ["#{bundler}/bundler", "#{rubygems}/rubygems", "#{bundler}/rubygems", SPATE]
          @library = config + RbConfig::CONFIG.values_at("vendordir", "sitedir").compact.map { |path| "#{path}/" }
          @libraries = [*config, *@tools]
          @specifications = Gem.path.map { |path| "#{path}/specifications/" }
          @kinds = {}
        end

        # :own (of the application or a gem), :library (Ruby's, which acts for its caller), :tool (Bundler, RubyGems,
        # texts of installed specifications, Spate). A nil path, at the start of a fiber, counts as :own.
        def kind(path) = @kinds[path] ||= sort(path.to_s)

        # Whether a file's content can differ only between machines.
        def file?(path) = kind(path) != :own

        # The path on whose behalf Ruby's library runs: the first one outside of the library. nil while the library is
        # being loaded.
        def caller_path(locations)
          frame = locations.find do |one|
            place = one.absolute_path || one.path
            kind(place) != :library || one.base_label.match?(LOADING)
          end
          path = frame && (frame.absolute_path || frame.path).to_s
          path unless path.nil? || kind(path) == :library
        end

        # Whether the caller is the application.
        def own_caller?(locations) = caller_path(locations)&.then { |path| kind(path) == :own } || false

        LOADING = /\A<(?:top|main|class:|module:)/

        private

        def sort(path)
          path = path[HIDDEN, 1] || path
          if path.match?(INTERNAL) then :library
          elsif [*@tools, *@specifications].any? { |folder| path.start_with?(folder) } then :tool
          elsif @library.any? { |folder| path.start_with?(folder) } then :library
          else
            :own
          end
        end
      end

      # `git ls-files` in a gemspec, run by an untraced process: its list of files affects neither the bundle's contents
      # nor its load path, only programs, which are in few folders.
      class GitLsFiles
        # Commands without anything that a shell would expand, except patterns and a redirection of errors.
        COMMAND = %r{\Agit (?:-C \S+ |-c \S+ )*ls-files(?: [\w./=*{},:!'"-]+)*(?: 2> ?/dev/null)?\s*\z}
        EXECUTABLES = "{bin,exe,libexec}/*"

        # socket: the tracer's socket, which the other process must close. aside: the socket of its own tracer, or nil.
        def self.start(socket, aside)
          questions, ask = IO.pipe(binmode: true)
          answer, answers = IO.pipe(binmode: true)
          child = fork do
            # Not a child of this process, because the application may wait for any child.
            exit!(0) if fork
            [ask, answer, IO.for_fd(3), IO.for_fd(socket)].each(&:close)
            [$stdout, $stderr].each { |stream| stream.reopen(File::NULL) }
            Native::Tracer.enter(aside) if aside
            serve(questions, answers)
            exit!(0)
          end
          Process.wait(child)
          [questions, answers, (IO.for_fd(aside) if aside)].compact.each(&:close)
          new(ask, answer)
        end

        def self.serve(questions, answers)
          loop do
            command, environment, folder = Marshal.load(questions) # rubocop:disable Security/MarshalLoad -- our own
            # A single word is a command line for the shell.
            command = command.one? ? command.first : command
            Marshal.dump(IO.popen(environment, command, chdir: folder, unsetenv_others: true, &:read), answers)
          rescue SystemCallError
            Marshal.dump(nil, answers)
          end
        rescue EOFError
          nil
        end
        private_class_method :serve

        def initialize(ask, answer)
          @ask = ask
          @answer = answer
        end

        # The command's output (String). nil if it is another command or does not run; then the caller runs it, traced.
        # words: one for a shell, or several.
        def ask(words, options)
          return unless COMMAND.match?(words.join(" ")) && (options.keys - %i[chdir err]).empty?

          environment = ENV.to_h.except("LD_PRELOAD", "SPATE_TRACER")
          Marshal.dump([words, environment, File.expand_path(options.fetch(:chdir, "."))], @ask)
          @ask.flush
          Marshal.load(@answer)&.force_encoding(Encoding.default_external) # rubocop:disable Security/MarshalLoad -- our own
        end
      end

      # Whether the names that `git ls-files` prints affect more of a gemspec than its list of files: evaluates the
      # gemspec with no names, and with names that match its own patterns, and compares the values. Programs in the
      # usual folders are ignored because they are checked separately.
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

        # [values, names of programs]; [nil, []] if the gemspec cannot be evaluated.
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

        # A simple text that matches the pattern, or nil.
        def sample(pattern)
          text = pattern.source.gsub(/\\[AzZb]|[\^$]/, "").gsub(/\[[^\]]*\]|\\[wh]|(?<!\\)\./, "x")
          nil while text.gsub!(/\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)[?*+]?/, '\1')
          text = text.split("|").first.to_s.gsub(/[*+?]|\\/, "")
          text if pattern.match?(text)
        end
      end

      # Records facts that system calls do not reveal: the patterns that folders are searched by, the words of a
      # command, and the Gemfile's instructions to Bundler. Every hook calls the original method.
      class Hooks
        # The unhooked method, because calls by hooks do not count.
        EXPAND = File.method(:expand_path)

        # Methods that read more about a path than its existence and type.
        STATE = %i[stat size size? zero? empty? readable? writable? executable? readable_real? writable_real?
                   executable_real? world_readable? world_writable? setuid? setgid? sticky?].freeze
        NAMES = %i[children entries each_child foreach empty? open new].freeze

        # Paths that the tracer ignores because C programs use them internally: the process itself, its terminal, random
        # numbers.
        UNTRACED = %r{\A/(?:proc/(?:self|thread-self|#{Process.pid})|
                     dev/(?:urandom|random|std\w+|tty|ptmx|fd|pts))(?:/|\z)}x
        # Paths that may be one of these, or may reveal which gems are installed.
        PLACES = %r{\A/(?:proc|dev)|/(?:specifications|gems|extensions|build_info|plugins)(?:/|\z)}
        # Variables that the tracer adds to the environment. A program's environment does not have these values.
        TRACER_VARIABLES = %w[SPATE_TRACER SPATE_TRACER_SOCKET SPATE_TRACER_ASIDE LD_PRELOAD ASAN_OPTIONS].freeze
        LOOKS = %i[open new read binread readlines foreach write binwrite sysopen copy_stream exist? file? directory?
                   lstat readlink].freeze

        # See Probe.
        attr_writer :probing
        attr_reader :origin
        # [[folder or "", pattern, flags, true if the Gemfile is the caller]], [command], names of the Gemfile's
        # plugins, gem sources as spelled in the Gemfile, absolute paths passed to STATE or NAMES methods; the rest as
        # in CallTrace.
        attr_reader :globs, :runs, :plugins, :remotes, :asked, :learnt, :refused

        # named: whether BUNDLE_GEMFILE has a value set by the user.
        def initialize(origin, named:)
          @origin = origin
          @named = named
          @globs, @runs, @plugins, @remotes, @asked, @learnt, @refused, @lists = Array.new(8) { [] }
        end

        # Call it before entering the tracer, so that the reads of `git ls-files` are not traced. Without a tracer the
        # command runs like any other.
        def listing_aside(...) = @listing = GitLsFiles.start(...)

        def install
          looks
          programs
          bundler
          aside
        end

        # The list of files if a gemspec's command lists files; nil if the command itself has to run.
        def listed(words, options = {})
          words = spoken(words)
          path = caller_locations.find { |one| @origin.kind(one.absolute_path || one.path) == :own }&.path.to_s
          answer = @listing&.ask(words, options) if path.end_with?(".gemspec")
          @globs |= [[File.dirname(EXPAND.call(path)), GitLsFiles::EXECUTABLES, 0]] if answer
          return ran(words) && nil unless answer

          @lists |= [EXPAND.call(path)]
          @probing ? @probing.call(words, answer) : answer
        end

        # A reason (String) for each gemspec in which git's list affects more than the files of the gem.
        def deciding
          @decided ||= {}
          @lists.each { |path| @decided.fetch(path) { @decided[path] = Probe.new(path, self).decides? } }
          @decided.filter_map { |path, decides| "depends on git's list of files for #{path}" if decides }
        end

        def ran(words)
          said = spoken(words)
          @refused |= ["runs a command that is not a String"] unless said.all?(String)
          @refused |= ["forks"] if said.first == "-"
          @runs |= [said.grep(String).join(" ")]
        end

        # Whether the caller is the Gemfile, or Ruby's library on its behalf.
        def own? = @origin.own_caller?(caller_locations(2).drop_while { |one| one.path == __FILE__ })

        private

        # Words in the form of Process.spawn: [command, its name] means the command.
        def spoken(words)
          words.map { |word| word.is_a?(Array) ? word.first : word }.grep_v(Hash).grep_v(Integer).compact
        end

        # Replaces methods in their own class, since a prepended module can be bypassed. Yields the original (Proc), and
        # arguments, options and block.
        def instead(owner, *names, &answer)
          names.each do |name|
            hidden = owner.private_method_defined?(name)
            next unless hidden || owner.method_defined?(name)

            original = owner.instance_method(name)
            owner.define_method(name) do |*words, **options, &block|
              answer.call(-> { original.bind_call(self, *words, **options, &block) }, words, options, block)
            end
            owner.send(:private, name) if hidden
          end
        end

        # Passes the arguments to the block, then calls the original.
        def before(owner, *names)
          instead(owner, *names) do |original, words, options|
            yield(*words, *([options] unless options.empty?))
            original.call
          end
        end

        def looks
          # IO's own `open` and `new` also open sockets.
          { IO => LOOKS - %i[open new], File => LOOKS, FileTest => LOOKS }.each do |owner, names|
            before(owner.singleton_class, *names) { |path,| untraced(path) }
          end
          { File => STATE, FileTest => STATE, Dir => NAMES }.each do |owner, names|
            before(owner.singleton_class, *names) { |path,| untraced(path) || asks(path) }
          end
          before(Dir.singleton_class, :chdir, :exist?) { |path,| untraced(path) }
          [Kernel, Kernel.singleton_class].each do |owner|
            before(owner, :open) { |path,| untraced(path) }
            before(owner, :test) { |_, path,| untraced(path) }
          end
          before(Dir.singleton_class, :glob, :[]) { |*words| globbed(words) }
          before(File.singleton_class, :expand_path, :absolute_path) { |path, base| placed(path, base) }
          before(ENV.singleton_class, *CallTrace::ENVIRONMENT) { |*names| named(names) }
          before(File::Stat.singleton_class, :new) { |path,| untraced(path) || asks(path) }
        end

        def asks(path)
          return unless own?

          path.is_a?(IO) ? @learnt |= [:state] : @asked |= [EXPAND.call(path)]
        end

        # Ignores reads by Bundler and RubyGems in these paths, but not those by the Gemfile.
        def untraced(path)
          path = path.to_path if path.respond_to?(:to_path)
          return ran([path[1..]]) && nil if path.is_a?(String) && path.start_with?("|")

          path = EXPAND.call(path) if path.is_a?(String) && !path.start_with?("/")
          return unless path.is_a?(String) && path.match?(PLACES) && own?

          @refused |= ["looks at #{path}, which cannot be traced"] if path.match?(UNTRACED)
          @asked |= [path] if Gem.path.any? { |home| path.start_with?("#{home}/") }
          nil
        end

        # Expanding a name reveals the current folder, even if nothing in it is read.
        def placed(path, base)
          @learnt |= [:here] unless base || path.to_s.start_with?("/", "~") || !own?
        end

        def named(names)
          ours = names & [*TRACER_VARIABLES, *("BUNDLE_GEMFILE" unless @named)]
          @refused |= ["asks for #{ours.first}, which differs in this process"] if ours.any? && own?
          @learnt |= [:gemfile] if names.include?("BUNDLE_GEMFILE") && own?
        end

        # words in the form of Dir.glob.
        def globbed(words)
          options = words.last.is_a?(Hash) ? words.pop : {}
          numbers, patterns = words.flatten.partition { |word| word.is_a?(Integer) }
          base = options[:base].then { |given| given.respond_to?(:to_path) ? given.to_path : given.to_s }
          whole = base.empty? && patterns.all? { |pattern| pattern.to_s.start_with?("/") }
          folder = whole ? "" : EXPAND.call(base)
          flags = options[:flags] || numbers.first || 0
          [folder, *patterns].each { |part| untraced(part.to_s) }
          own = true if [folder, *patterns].any? { |part| part.to_s.match?(PLACES) } && own?
          @globs |= patterns.map { |pattern| [folder, pattern.to_s, flags, *own] }
        end

        def programs
          [Kernel, Kernel.singleton_class, Process.singleton_class].each do |owner|
            before(owner, :system, :spawn, :exec) { |*words| ran(words) }
            instead(owner, :`) { |original, words| listed(words) || original.call }
          end
          instead(IO.singleton_class, :popen) { |*call| opened(*call) }
        end

        def opened(original, words, options, block)
          command = words.grep_v(/\Ar[bt]?\z/).flatten(1)
          answer = block ? listed(command, options) : ran(command) && nil
          return original.call unless answer

          require "stringio"
          block.call(StringIO.new(answer))
        end

        # RubyGems compares a gemspec's files with the current folder, and Bundler first looks for programs in it. Both
        # are made to use an untraced folder instead.
        def aside
          folder = RbConfig::CONFIG["rubylibdir"]
          instead(Bundler::RubygemsIntegration, :validate) { |original,| Dir.chdir(folder) { original.call } }
          instead(Bundler.singleton_class, :which) { |original,| Dir.chdir(folder) { original.call } }
        end

        # The Gemfile's methods for Bundler plugins. Since Bundler 4 a Gemfile may set its lockfile (and Bundler itself
        # sets the usual one).
        def bundler
          # A method object, because its call by Bundler cannot be traced.
          before(Bundler::Dsl, :install_if) do |*conditions|
            hidden = conditions.any? { |one| one.respond_to?(:call) && !(one.is_a?(Proc) && one.source_location) }
            @refused |= ["calls install_if without a block"] if hidden
          end
          before(Bundler::Dsl, :plugin) { |name,| @plugins |= [name.to_s] }
          before(Bundler::Dsl, :source) { |source, *rest| sourced(source, rest.last) }
          before(Bundler::Dsl, :lockfile) { |file,| @plugins |= ["lockfile #{file}"] if own? }
        end

        def sourced(source, options)
          type = options.is_a?(Hash) && (options[:type] || options["type"])
          return @plugins |= ["source type #{type}"] if type

          @remotes |= ["#{source.to_s.chomp("/")}/"] if source.to_s.match?(%r{\A[a-z]+://})
        end
      end
    end
  end
end
