# frozen_string_literal: true

require_relative "code_origin"
require_relative "git_ls_files"
require_relative "probe"

module Spate
  module Gemfile
    module Child
      # Records facts that system calls do not show: the pattern for which folders are listed, the words of a command,
      # and the Gemfile's instructions to Bundler. Every hook calls the original.
      class Hooks
        # The unhooked method: calls by hooks do not count.
        EXPAND = File.method(:expand_path)

        # Methods that read more about a path than whether it exists and its type.
        STATE = %i[stat size size? zero? empty? readable? writable? executable? readable_real? writable_real?
                   executable_real? world_readable? world_writable? setuid? setgid? sticky?].freeze
        NAMES = %i[children entries each_child foreach empty? open new].freeze

        # Paths that the tracer ignores, since programs in C use them by themselves: the process itself, its terminal,
        # chance.
        UNHEARD = %r{\A/(?:proc/(?:self|thread-self|#{Process.pid})|
                     dev/(?:urandom|random|std\w+|tty|ptmx|fd|pts))(?:/|\z)}x
        # Paths that may be one of these, or may show which gems are installed.
        PLACES = %r{\A/(?:proc|dev)|/(?:specifications|gems|extensions|build_info|plugins)(?:/|\z)}
        # Variables that the tracer adds to the environment; they differ from those of a program.
        TRACER_VARIABLES = %w[SPATE_TRACER SPATE_TRACER_SOCKET SPATE_TRACER_ASIDE LD_PRELOAD ASAN_OPTIONS].freeze
        LOOKS = %i[open new read binread readlines foreach write binwrite sysopen copy_stream exist? file? directory?
                   lstat readlink].freeze

        # See Probe.
        attr_writer :probing
        attr_reader :origin
        # [[folder or "", pattern, flags, true if the Gemfile calls]], [command], names of plugins that the Gemfile
        # uses, gem sources as it spells them, absolute paths that STATE or NAMES were called with; and as in CallTrace.
        attr_reader :globs, :runs, :plugins, :remotes, :asked, :learnt, :refused

        # named: whether BUNDLE_GEMFILE has the user's value.
        def initialize(origin, named:)
          @origin = origin
          @named = named
          @globs, @runs, @plugins, @remotes, @asked, @learnt, @refused, @lists = Array.new(8) { [] }
        end

        # Called before the tracer is entered, so that the reads of `git ls-files` are not traced. Without a tracer it
        # runs like any other command.
        def listing_aside(...) = @listing = GitLsFiles.start(...)

        def install
          looks
          programs
          bundler
          aside
        end

        # The list of files, if a gemspec's command lists files; nil if the command has to run itself.
        def listed(words, options = {})
          words = spoken(words)
          path = caller_locations.find { |one| @origin.kind(one.absolute_path || one.path) == :own }&.path.to_s
          answer = @listing&.ask(words, options) if path.end_with?(".gemspec")
          @globs |= [[File.dirname(EXPAND.call(path)), GitLsFiles::EXECUTABLES, 0]] if answer
          return ran(words) && nil unless answer

          @lists |= [EXPAND.call(path)]
          @probing ? @probing.call(words, answer) : answer
        end

        # [String] about gemspecs in which lists decide more than files.
        def deciding
          @decided ||= {}
          @lists.each { |path| @decided.fetch(path) { @decided[path] = Probe.new(path, self).decides? } }
          @decided.filter_map { |path, decides| "has git's list of files decide about #{path}" if decides }
        end

        def ran(words)
          said = spoken(words)
          @refused |= ["runs a command that is not a text"] unless said.all?(String)
          @refused |= ["forks"] if said.first == "-"
          @runs |= [said.grep(String).join(" ")]
        end

        # Whether the Gemfile calls, or a library of Ruby's on its behalf.
        def own? = @origin.own_caller?(caller_locations(2).drop_while { |one| one.path == __FILE__ })

        private

        # Words as Process.spawn takes them: [command, its name] means the command.
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

        # Reads of Bundler and RubyGems there do not count; those of the Gemfile do.
        def untraced(path)
          path = path.to_path if path.respond_to?(:to_path)
          return ran([path[1..]]) && nil if path.is_a?(String) && path.start_with?("|")

          path = EXPAND.call(path) if path.is_a?(String) && !path.start_with?("/")
          return unless path.is_a?(String) && path.match?(PLACES) && own?

          @refused |= ["looks at #{path}, which cannot be traced"] if path.match?(UNHEARD)
          @asked |= [path] if Gem.path.any? { |home| path.start_with?("#{home}/") }
          nil
        end

        # Expanding a name reveals the current folder, even if nothing is read there.
        def placed(path, base)
          @learnt |= [:here] unless base || path.to_s.start_with?("/", "~") || !own?
        end

        def named(names)
          ours = names & [*TRACER_VARIABLES, *("BUNDLE_GEMFILE" unless @named)]
          @refused |= ["asks for #{ours.first}, which is another here"] if ours.any? && own?
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

        # RubyGems compares a gemspec's files with the current folder, and Bundler looks there for programs first: have
        # both look in an untraced folder.
        def aside
          folder = RbConfig::CONFIG["rubylibdir"]
          instead(Bundler::RubygemsIntegration, :validate) { |original,| Dir.chdir(folder) { original.call } }
          instead(Bundler.singleton_class, :which) { |original,| Dir.chdir(folder) { original.call } }
        end

        # The Gemfile's methods for Bundler plugins; from Bundler 4 on it may set its lockfile (and Bundler itself
        # sets the usual one).
        def bundler
          # A method object: its call by Bundler cannot be traced.
          before(Bundler::Dsl, :install_if) do |*conditions|
            hidden = conditions.any? { |one| one.respond_to?(:call) && !(one.is_a?(Proc) && one.source_location) }
            @refused |= ["has install_if call something else than a block"] if hidden
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
