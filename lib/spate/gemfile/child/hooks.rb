# frozen_string_literal: true

require_relative "../input"
require_relative "foreign"

module Spate
  module Gemfile
    module Child
      # Stands before Ruby's own ways to read, and tells the current Trace. Every hook calls what it stands before.
      module Hooks
        CONTENT = %i[read binread readlines foreach sysopen].freeze
        WRITES = { IO => %i[write binwrite], File => %i[delete unlink rename symlink link chmod truncate utime mkfifo],
                   Dir => %i[mkdir rmdir delete unlink] }.freeze
        WRITING = File::WRONLY | File::RDWR | File::CREAT | File::TRUNC | File::APPEND
        KINDS = %i[exist? file? directory? pipe? socket? blockdev? chardev? ftype].freeze
        # More than whether and what something is. Bundler and RubyGems ask so only for places that they may write to.
        STATES = %i[symlink? readable? executable? readable_real? executable_real? writable? writable_real?
                    world_readable? world_writable? owned? grpowned? setuid? setgid? sticky? zero? empty? size? size
                    identical? stat lstat atime mtime ctime birthtime readlink realpath realdirpath].freeze
        NAMES = %i[children entries each_child foreach exist? empty?].freeze
        SPAWNS = %i[system spawn exec fork `].freeze
        LOOKUPS = { Addrinfo => %i[getaddrinfo foreach ip tcp udp],
                    Socket => %i[getaddrinfo gethostbyname gethostbyaddr getnameinfo gethostname getifaddrs],
                    TCPSocket => %i[gethostbyname], IPSocket => %i[getaddress] }.freeze
        ENV_KEYS = %i[[] fetch key? include? has_key? member? delete values_at slice assoc].freeze
        ENV_WHOLE = %i[to_h to_hash to_a each each_pair each_key each_value keys values value? has_value? key rassoc
                       select filter reject map inspect clone except size length empty? delete_if keep_if reject!
                       select! filter! shift].freeze

        LOADING = /\A<(?:top|main|class:|module:)/

        # The path of the code for which what was hooked is called: not of Ruby's library, which asks for whoever calls
        # it, but while it is loaded; nil then.
        def self.caller_path
          frames = caller_locations(2).lazy.map { |one| [one.absolute_path || one.path, one.base_label] }
          path, label = frames.find do |place, name|
            !place.start_with?(__dir__) && (!Trace.current.library?(place) || name.match?(LOADING))
          end
          path unless label&.match?(LOADING) && Trace.current.library?(path)
        end

        # Module whose methods tell first and then go on.
        def self.before(names, &telling)
          Module.new do
            names.each do |name|
              define_method(name) do |*args, **options, &block|
                if (trace = Trace.current)
                  telling.call(trace, args, options, Hooks.caller_path)
                end
                super(*args, **options, &block)
              end
            end
          end
        end

        def self.install
          return if @installed

          @installed = true
          files
          environment
          processes
          bundler
        end

        def self.files
          IO.singleton_class.prepend(before(CONTENT) { |trace, (path), _, from| trace.note("file", path, from: from) })
          File.prepend(before(%i[initialize]) do |trace, (path, mode), options, from|
            open(trace, path, options.fetch(:mode, mode), from)
          end)
          WRITES.each do |owner, names|
            owner.singleton_class.prepend(before(names) { |trace, *, from| trace.reject("writes files", from) })
          end
          kinds
          Dir.singleton_class.prepend(before(NAMES) { |trace, (path), _, from| trace.note("list", path, from: from) })
          Dir.prepend(before(%i[initialize]) { |trace, (path), _, from| trace.note("list", path, from: from) })
          Dir.singleton_class.prepend(before(%i[chdir]) { |trace, (path), _, from| trace.entered(path, from) })
          Dir.singleton_class.prepend(globs)
        end

        def self.kinds
          kinds = before(KINDS) { |trace, (path), _, from| trace.note("kind", path, from: from) }
          own = lambda do |trace, paths, _, from|
            paths.each { |path| trace.note(trace.foreign?(from) ? "kind" : "state", path, from: from) }
          end
          [File, FileTest].each do |owner|
            owner.singleton_class.prepend(kinds, before(STATES & owner.methods, &own))
          end
          File::Stat.prepend(before(%i[initialize], &own))
          test = before(%i[test]) { |trace, (_, *paths), options, from| own.call(trace, paths, options, from) }
          [Kernel, Kernel.singleton_class].each { |owner| owner.prepend(test) }
        end
        private_class_method :kinds

        def self.open(trace, path, mode, from)
          writing = mode.is_a?(Integer) ? mode.anybits?(WRITING) : mode.to_s.match?(/[wa+]/)
          writing ? trace.reject("writes files", from) : trace.note("file", path, from: from)
        end
        private_class_method :open

        def self.globs
          Module.new do
            def glob(pattern, flags = 0, base: nil, **options, &block)
              Trace.current&.globbed(Array(pattern), flags, base, Hooks.caller_path)
              super
            end

            def [](*patterns, base: nil, **options)
              Trace.current&.globbed(patterns.flatten, 0, base, Hooks.caller_path)
              super
            end
          end
        end

        def self.environment
          ENV.singleton_class.prepend(
            before(ENV_KEYS) { |trace, keys, _, path| keys.each { |key| trace.environment(key, path) } },
            before(ENV_WHOLE) { |trace, _, _, path| trace.environment_as_a_whole(path) }
          )
        end

        def self.processes
          spawns = before(SPAWNS) { |trace, command, _, path| trace.spawned(command, path.to_s) }
          [Kernel, Kernel.singleton_class, Process.singleton_class].each { |owner| owner.prepend(spawns) }
          IO.singleton_class.prepend(before(%i[popen]) { |trace, command, _, path| trace.spawned(command, path.to_s) })
          opens = before(%i[open]) do |trace, (target), _, path|
            target.to_s.start_with?("|") ? trace.spawned([target], path.to_s) : trace.note("file", target, from: path)
          end
          [Kernel, Kernel.singleton_class].each { |owner| owner.prepend(opens) }
          Kernel.prepend(Requires)
          [TCPSocket, TCPServer, UDPSocket, UNIXSocket, UNIXServer, Socket].each do |owner|
            owner.prepend(before(%i[initialize]) { |trace, *, path| trace.reject("opens a socket", path || "") })
          end
          LOOKUPS.each do |owner, names|
            asking = before(names) { |trace, *, path| trace.reject("looks up a host", path || "") }
            owner.singleton_class.prepend(asking)
          end
        end

        # A library that is missing now may be there next time. Where Bundler looks for a part of its own, RubyGems'
        # search through installed gems says nothing about the Gemfile.
        module Requires
          def require(feature)
            trace = Trace.current or return super
            path = Hooks.caller_path
            return trace.unheard { super } if trace.foreign?(path)

            begin
              super
            rescue LoadError
              trace.reject("asks for #{feature}, which is not installed", path)
              raise
            end
          end
        end

        def self.bundler
          Bundler::Dsl.prepend(Plugins)
          whole = before(Bundler.methods(false).grep(/env\z/)) { |trace, *, path| trace.environment_as_a_whole(path) }
          Bundler.singleton_class.prepend(whole)
        end

        # The Gemfile's words for Bundler plugins.
        module Plugins
          def plugin(name, *)
            Trace.current&.plugin(name)
            super
          end

          # From Bundler 4 on a Gemfile may name its lockfile (and Bundler itself names the usual one).
          def lockfile(file, *)
            path = Hooks.caller_path
            Trace.current&.then { |trace| trace.plugin("lockfile #{file}") unless trace.foreign?(path) }
            super
          end

          def source(source, *args, &block)
            type = args.last.is_a?(Hash) && (args.last[:type] || args.last["type"])
            type ? Trace.current&.plugin("source type #{type}") : Trace.current&.remote(source.to_s)
            super
          end
        end
      end
    end
  end
end
