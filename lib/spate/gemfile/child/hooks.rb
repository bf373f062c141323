# frozen_string_literal: true

require "rbconfig"

module Spate
  module Gemfile
    module Child
      # Determines whether code or a file belongs to the application, to Ruby's standard library or to the tools.
      class CodeOrigin
        INTERNAL = %r{\A<internal:(?!/)}
        # The path of a RubyGems file, in the form that newer Ruby versions use.
        HIDDEN = %r{\A<internal:(/.+)>\z}
        SPATE = "#{File.expand_path("../../..", __dir__)}/".freeze

        # Prefixes of the paths of Ruby, RubyGems, Bundler and Spate, whose files change only with a new version.
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

        # Returns :own (the application or a gem), :library (Ruby's standard library, which runs for its caller), or
        # :tool (Bundler, RubyGems, installed specifications, Spate). Returns :own for nil, the path at the start of a
        # fiber.
        def kind(path) = @kinds[path] ||= sort(path.to_s)

        # Whether the file belongs to Ruby or the tools, so that its content differs only between machines.
        def file?(path) = kind(path) != :own

        # The path of the code that called the standard library: the first one on the stack outside of the library. nil
        # while a library file is being loaded.
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

      # Runs `git ls-files` of a gemspec in an untraced process. The list of files does not affect the bundle's contents
      # or load path. It affects only the list of executables, which are in a few known folders.
      class GitLsFiles
        # Matches commands without shell expansions, except patterns and a redirection of stderr.
        COMMAND = %r{\Agit (?:-C \S+ |-c \S+ )*ls-files(?: [\w./=*{},:!'"-]+)*(?: 2> ?/dev/null)?\s*\z}
        EXECUTABLES = "{bin,exe,libexec}/*"

        # Starts the process. socket: the tracer's socket, which the process must close. aside: the socket of a separate
        # tracer for the process, or nil.
        def self.start(socket, aside)
          questions, ask = IO.pipe(binmode: true)
          answer, answers = IO.pipe(binmode: true)
          child = fork do
            # Forks twice, because the application may wait for any child process.
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
            # A single word is a command line for a shell.
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

        # Returns the output of the command (String), or nil if it is another command or fails to start. The caller then
        # runs it with tracing. words: a command line for a shell, or a command and its arguments.
        def ask(words, options)
          return unless COMMAND.match?(words.join(" ")) && (options.keys - %i[chdir err]).empty?

          environment = ENV.to_h.except("LD_PRELOAD", "SPATE_TRACER")
          Marshal.dump([words, environment, File.expand_path(options.fetch(:chdir, "."))], @ask)
          @ask.flush
          Marshal.load(@answer)&.force_encoding(Encoding.default_external) # rubocop:disable Security/MarshalLoad -- our own
        end
      end

      # Tests whether the output of `git ls-files` affects more of a gemspec than its list of files. Evaluates the
      # gemspec with the real output, with no names, and with additional names that match its patterns, and compares the
      # attributes. Executables in the usual folders are ignored, because they are checked separately.
      class Probe
        FILES = %i[files test_files extra_rdoc_files executables].freeze
        USUAL = %r{\A(?:bin|exe|libexec)/[^/]*\z}
        NAME = %r{\A[\w./-]{1,80}\z}

        # hooks: the Hooks. They pass the command's words and output to `probing`.
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

        # Returns [attributes, names of executables], or [nil, []] if the gemspec cannot be evaluated.
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

        # The output of the command with additional names.
        def more(words, text)
          words = words.one? ? words.first.delete("'\"").split : words
          mark = words.grep(/\A-\w*z/).any? ? "\0" : "\n"
          names = text.split(mark) | names(words)
          @usual |= names.grep(USUAL).map { |name| File.basename(name) }
          names.join(mark) + mark
        end

        # Names that match the patterns of the command.
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

        # Names similar to the string literals of the gemspec, and names that match its regular expressions.
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

        # Returns a simple text that matches the pattern, or nil.
        def sample(pattern)
          text = pattern.source.gsub(/\\[AzZb]|[\^$]/, "").gsub(/\[[^\]]*\]|\\[wh]|(?<!\\)\./, "x")
          nil while text.gsub!(/\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)[?*+]?/, '\1')
          text = text.split("|").first.to_s.gsub(/[*+?]|\\/, "")
          text if pattern.match?(text)
        end
      end

      # Records facts that system calls do not show: glob patterns, command lines, and calls of the Gemfile's DSL. Each
      # hook calls the original method.
      class Hooks
        # The original method, because calls by the hooks must not be recorded.
        EXPAND = File.method(:expand_path)

        # Methods that return more about a path than its existence and type.
        STATE = %i[stat size size? zero? empty? readable? writable? executable? readable_real? writable_real?
                   executable_real? world_readable? world_writable? setuid? setgid? sticky?].freeze
        NAMES = %i[children entries each_child foreach empty? open new].freeze

        # Paths that the tracer ignores, because the C library and Ruby access them internally: the process itself, its
        # terminal, random numbers.
        UNTRACED = %r{\A/(?:proc/(?:self|thread-self|#{Process.pid})|
                     dev/(?:urandom|random|std\w+|tty|ptmx|fd|pts))(?:/|\z)}x
        # Paths that may be UNTRACED, or that may show which gems are installed.
        PLACES = %r{\A/(?:proc|dev)|/(?:specifications|gems|extensions|build_info|plugins)(?:/|\z)}
        # Variables that the tracer sets. Their values differ in the environment of a program.
        TRACER_VARIABLES = %w[SPATE_TRACER SPATE_TRACER_SOCKET SPATE_TRACER_ASIDE LD_PRELOAD ASAN_OPTIONS].freeze
        FILE_METHODS = %i[open new read binread readlines foreach write binwrite sysopen copy_stream exist? file?
                          directory? lstat readlink].freeze

        # See Probe.
        attr_writer :probing
        attr_reader :origin
        # globs: [[folder or "", pattern, flags, true if the Gemfile is the caller]]. runs: [command]. plugins: names of
        # the Gemfile's plugins. remotes: gem sources as written in the Gemfile. asked: absolute paths passed to methods
        # of STATE or NAMES. observed, refused: as in CallTrace.
        attr_reader :globs, :runs, :plugins, :remotes, :asked, :observed, :refused

        # named: whether the user has set BUNDLE_GEMFILE.
        def initialize(origin, named:)
          @origin = origin
          @named = named
          @globs, @runs, @plugins, @remotes, @asked, @observed, @refused, @lists = Array.new(8) { [] }
        end

        # Must be called before tracing starts, so that the reads of `git ls-files` are not traced. If it is not called,
        # the command runs like any other.
        def listing_aside(...) = @listing = GitLsFiles.start(...)

        def install
          hook_file_methods
          programs
          bundler
          aside
        end

        # Returns the output of a gemspec's `git ls-files`, or nil if the caller must run the command.
        def listed(words, options = {})
          words = command_words(words)
          path = caller_locations.find { |one| @origin.kind(one.absolute_path || one.path) == :own }&.path.to_s
          answer = @listing&.ask(words, options) if path.end_with?(".gemspec")
          @globs |= [[File.dirname(EXPAND.call(path)), GitLsFiles::EXECUTABLES, 0]] if answer
          return ran(words) && nil unless answer

          @lists |= [EXPAND.call(path)]
          @probing ? @probing.call(words, answer) : answer
        end

        # Returns a reason (String) for each gemspec in which the output of git affects more than the gem's list of
        # files.
        def deciding
          @decided ||= {}
          @lists.each { |path| @decided.fetch(path) { @decided[path] = Probe.new(path, self).decides? } }
          @decided.filter_map { |path, decides| "depends on git's list of files for #{path}" if decides }
        end

        def ran(words)
          said = command_words(words)
          @refused |= ["runs a command that is not a String"] unless said.all?(String)
          @refused |= ["forks"] if said.first == "-"
          @runs |= [said.grep(String).join(" ")]
        end

        # Whether the caller is the Gemfile, or the standard library called by the Gemfile.
        def own? = @origin.own_caller?(caller_locations(2).drop_while { |one| one.path == __FILE__ })

        private

        # The command from arguments of Process.spawn. Replaces [command, argv0] with the command.
        def command_words(words)
          words.map { |word| word.is_a?(Array) ? word.first : word }.grep_v(Hash).grep_v(Integer).compact
        end

        # Replaces methods in their class, because a prepended module can be bypassed. Yields the original (Proc),
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

        def hook_file_methods
          # IO.open and IO.new are not hooked, because they do not take a path.
          { IO => FILE_METHODS - %i[open new], File => FILE_METHODS, FileTest => FILE_METHODS }.each do |owner, names|
            before(owner.singleton_class, *names) { |path,| untraced(path) }
          end
          { File => STATE, FileTest => STATE, Dir => NAMES }.each do |owner, names|
            before(owner.singleton_class, *names) { |path,| untraced(path) || record_asked(path) }
          end
          before(Dir.singleton_class, :chdir, :exist?) { |path,| untraced(path) }
          [Kernel, Kernel.singleton_class].each do |owner|
            before(owner, :open) { |path,| untraced(path) }
            before(owner, :test) { |_, path,| untraced(path) }
          end
          before(Dir.singleton_class, :glob, :[]) { |*words| globbed(words) }
          before(File.singleton_class, :expand_path, :absolute_path) { |path, base| placed(path, base) }
          before(ENV.singleton_class, *CallTrace::ENVIRONMENT) { |*names| named(names) }
          before(File::Stat.singleton_class, :new) { |path,| untraced(path) || record_asked(path) }
        end

        def record_asked(path)
          return unless own?

          path.is_a?(IO) ? @observed |= [:state] : @asked |= [EXPAND.call(path)]
        end

        # Records or refuses accesses to PLACES by the Gemfile. Ignores accesses by Bundler and RubyGems.
        def untraced(path)
          path = path.to_path if path.respond_to?(:to_path)
          return ran([path[1..]]) && nil if path.is_a?(String) && path.start_with?("|")

          path = EXPAND.call(path) if path.is_a?(String) && !path.start_with?("/")
          return unless path.is_a?(String) && path.match?(PLACES) && own?

          @refused |= ["looks at #{path}, which cannot be traced"] if path.match?(UNTRACED)
          @asked |= [path] if Gem.path.any? { |home| path.start_with?("#{home}/") }
          nil
        end

        # Expanding a relative path returns the working directory, even if no file in it is accessed.
        def placed(path, base)
          @observed |= [:here] unless base || path.to_s.start_with?("/", "~") || !own?
        end

        def named(names)
          ours = names & [*TRACER_VARIABLES, *("BUNDLE_GEMFILE" unless @named)]
          @refused |= ["asks for #{ours.first}, which differs in this process"] if ours.any? && own?
          @observed |= [:gemfile] if names.include?("BUNDLE_GEMFILE") && own?
        end

        # words: the arguments of Dir.glob.
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

        # RubyGems compares a gemspec's files with the working directory, and Bundler searches it for programs. Both run
        # in an untraced folder instead.
        def aside
          folder = RbConfig::CONFIG["rubylibdir"]
          instead(Bundler::RubygemsIntegration, :validate) { |original,| Dir.chdir(folder) { original.call } }
          instead(Bundler.singleton_class, :which) { |original,| Dir.chdir(folder) { original.call } }
        end

        # Hooks the DSL's methods for plugins and sources. Since Bundler 4, a Gemfile may set its lockfile; Bundler
        # calls the same method for the default lockfile.
        def bundler
          # A condition may be a Method object, whose call by Bundler cannot be traced.
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
