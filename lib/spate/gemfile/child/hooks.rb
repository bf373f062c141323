# frozen_string_literal: true

require_relative "foreign"
require_relative "listing"

module Spate
  module Gemfile
    module Child
      # What the system cannot tell: the pattern for which folders are listed, the words of a command, and what a
      # Gemfile says to Bundler. Every hook calls what it stands before.
      class Hooks
        SPAWNS = %i[system spawn exec `].freeze
        # Without a hook: what these hooks do is not what a Gemfile does.
        EXPAND = File.method(:expand_path)
        # A folder where this child began, if it is to be known what depends on that.
        ASIDE = ".spate-aside"

        # What more is asked of a path than whether and what it is.
        STATE = %i[size size? zero? empty? readable? writable? executable? readable_real? writable_real?
                   executable_real? world_readable? world_writable? setuid? setgid? sticky?].freeze
        ASKS = {
          stat: %i[state stat], lstat: %i[state stat links], mtime: %i[times], symlink?: %i[links], ftype: %i[links],
          readlink: %i[links], realpath: %i[links way], realdirpath: %i[links way]
        }.merge(STATE.to_h { |name| [name, %i[state]] }).freeze
        NAMES = %i[children entries each_child foreach empty? open new].freeze

        attr_reader :foreign
        # [[folder or "", pattern, flags]], [command], names of plugins that the Gemfile uses, gem sources as it spells
        # them.
        attr_reader :globs, :runs, :plugins, :remotes

        def initialize(foreign)
          @foreign = foreign
          @globs, @runs, @plugins, @remotes = Array.new(4) { [] }
        end

        # Before the ear is entered: what `git ls-files` reads in a gemspec is none of its business.
        # Without an ear it runs like any other command.
        def listing_aside(socket) = @listing = Listing.start(socket)

        def install
          Dir.singleton_class.prepend(globbing, before(NAMES) { |_, (path)| asks(path, %i[names]) })
          File.singleton_class.prepend(before(%i[expand_path absolute_path]) { |_, (path, base)| placed(path, base) })
          [File, FileTest].each do |owner|
            owner.singleton_class.prepend(before(ASKS.keys & owner.methods) { |name, (path)| asks(path, ASKS[name]) })
          end
          File::Stat.singleton_class.prepend(before(%i[new]) { |_, (path)| asks(path, ASKS[:stat]) })
          programs
          bundler
          aside(File.join(Dir.pwd, ASIDE))
        end

        # patterns as Dir.glob takes them.
        def globbed(patterns, flags, base)
          base = base.respond_to?(:to_path) ? base.to_path : base.to_s
          whole = base.empty? && patterns.all? { |pattern| pattern.to_s.start_with?("/") }
          folder = whole ? "" : EXPAND.call(base)
          patterns.each { |pattern| @globs |= [[folder, pattern.to_s, flags]] }
        end

        # What a list of a gemspec's files is, where the command lists some; nil where it is to run itself.
        def listed(words, options = {})
          words = words.flatten.reject { |word| word.is_a?(Hash) }
          path = caller_locations.find { |one| @foreign.kind(one.absolute_path || one.path) == :own }&.path.to_s
          answer = @listing&.ask(words, options) if path.end_with?(".gemspec")
          @globs |= [[File.dirname(EXPAND.call(path)), Listing::EXECUTABLES, 0]] if answer
          ran(words) unless answer
          answer
        end

        # Whether the Gemfile had Bundler tell the whole environment.
        def environment? = @environment == true

        # [[absolute path, kinds]] of which more was asked than whether and what it is.
        def asked = @asked ||= []
        # See Calls::LEARNT.
        def learnt = @learnt ||= []

        def ran(words) = @runs |= [words.grep(String).join(" ")]
        def plugin(name) = @plugins |= [name.to_s]
        def remote(uri) = (@remotes |= ["#{uri.chomp("/")}/"] if uri.match?(%r{\A[a-z]+://}))

        # What asks is the Gemfile, or a library of Ruby's for it.
        def own?
          path = @foreign.caller_path(caller_locations(2).drop_while { |one| one.path == __FILE__ })
          path && @foreign.kind(path) == :own
        end

        private

        # Module whose methods tell first, with their name and arguments, and then go on.
        def before(names, &telling)
          Module.new do
            names.each do |name|
              define_method(name) do |*words, **options, &block|
                telling.call(name, options.empty? ? words : [*words, options])
                super(*words, **options, &block)
              end
            end
          end
        end

        def asks(path, kinds)
          return unless own?

          path.is_a?(IO) ? learnt.push(*kinds) : asked.push([EXPAND.call(path), kinds])
        end

        # Whoever makes a path of a name asks which folder this is, and may never look there.
        def placed(path, base)
          learnt.push(:here) unless base || path.to_s.start_with?("/", "~") || !own?
        end

        def globbing
          hooks = self
          Module.new do
            define_method(:glob) do |pattern, given = 0, flags: given, base: nil, **options, &block|
              hooks.globbed(Array(pattern), flags, base)
              super(pattern, flags, base: base, **options, &block)
            end

            define_method(:[]) do |*patterns, base: nil, **options|
              hooks.globbed(patterns.flatten, 0, base)
              super(*patterns, base: base, **options)
            end
          end
        end

        def programs
          names = SPAWNS - %i[`]
          spawning = before(names) { |_, words| ran(words) }
          testing = before(%i[test]) { |_, (_, *paths)| paths.each { |path| asks(path, %i[state times links]) } }
          hidden = [spawning, testing, quoting].each { |one| one.send(:private, *one.instance_methods(false)) }
          [Kernel, Kernel.singleton_class].each { |owner| owner.prepend(*hidden) }
          Process.singleton_class.prepend(before(names - %i[system]) { |_, words| ran(words) })
          IO.singleton_class.prepend(opening)
        end

        def quoting
          hooks = self
          Module.new { define_method(:`) { |command| hooks.listed([command]) || super(command) } }
        end

        def opening
          hooks = self
          Module.new do
            define_method(:popen) do |*words, **options, &block|
              command = words.grep_v(/\Ar[bt]?\z/)
              answer = block ? hooks.listed(command, options) : hooks.ran(command) && nil
              next super(*words, **options, &block) unless answer

              require "stringio"
              block.call(StringIO.new(answer))
            end
          end
        end

        # RubyGems holds the names of a gemspec's files against the folder that it happens to be in, and Bundler looks
        # there for programs first.
        def aside(folder)
          return unless File.directory?(folder)

          { Bundler.rubygems => :validate, Bundler => :which }.each do |owner, name|
            owner.singleton_class.prepend(Module.new do
              define_method(name) { |asked| Dir.chdir(folder) { super(asked) } }
            end)
          end
        end

        # The Gemfile's words for Bundler plugins; from Bundler 4 on it may name its lockfile (and Bundler itself names
        # the usual one). And Bundler's ways to tell the whole environment.
        def bundler
          words = before(%i[plugin]) { |_, (name)| plugin(name) }
          locking = before(%i[lockfile]) { |_, (file)| plugin("lockfile #{file}") if own? }
          sourcing = before(%i[source]) { |_, (source, *rest)| sourced(source, rest.last) }
          Bundler::Dsl.prepend(words, sourcing)
          Bundler::Dsl.prepend(locking) if Bundler::Dsl.method_defined?(:lockfile)
          whole = before(Bundler.methods(false).grep(/env\z/)) { |*| @environment = true if own? }
          Bundler.singleton_class.prepend(whole)
        end

        # options come as the last word, or as words of their own.
        def sourced(source, options)
          type = options.is_a?(Hash) && (options[:type] || options["type"])
          type ? plugin("source type #{type}") : remote(source.to_s)
        end
      end
    end
  end
end
