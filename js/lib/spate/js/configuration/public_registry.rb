# frozen_string_literal: true

require "spate/tracer"
require "spate/inputs"

module Spate
  module JS
    class Configuration
      # The registry that npm uses if no other is configured. As with gems, Spate contains no source addresses: the
      # address is read from npm's own files or, for tools without such files, from the tool's output.
      module PublicRegistry
        # Older versions of npm declared only defaults.
        FILES = [*NpmFolder::DEFINITIONS, "node_modules/@npmcli/config/lib/defaults.js"].freeze
        DEFINITION = /['"]?\bregistry['"]?\s*(?::\s*new Definition\(|,)[^{}]*\{[^{}]*?\bdefault:\s*(['"`])([^'"`]+)\1/
        private_constant :FILES, :DEFINITION

        module_function

        # The address with a trailing "/", or nil. store: the Store that caches the output of tools, or nil.
        def find(env, store)
          found = written(NpmFolder.new(env).path) || Asked.find(env, store)
          found && (found.end_with?("/") ? found : "#{found}/")
        end

        def written(folder)
          return unless folder

          FILES.each do |path|
            text = Level.text(File.join(folder, path)) or next
            found = text[DEFINITION, 2]
            return found if found
          end
          nil
        end

        # The default registry of npm, pnpm or yarn: the output of the first one that prints an address. A process runs
        # them only once, in whichever thread comes first. The store caches the output; the key is the tool's
        # environment. The cache entry includes a record (docs/inputs.md) of each file that the tool read or looked for:
        # programs, modules, rc files.
        class Asked
          # Commands to try, in this order, with the name of the setting: later versions of yarn renamed it.
          ASKED = [%w[npm registry], %w[pnpm registry], %w[yarn registry], %w[yarn npmRegistryServer]].freeze
          ADDRESS = %r{\Ahttps?://\S+\z}
          # Variables that the tool does not receive: settings of npm and pnpm, and variables of a session or Ruby
          # project.
          UNUSED = /\Ap?npm_(?:config|package|lifecycle)_|\A(?:BUNDLER?|GEM|SPATE)_|\ARUBY(?:OPT|LIB)\z|
                    \A(?:PWD|OLDPWD|INIT_CWD)\z/ix
          # Prevents corepack from downloading a tool, and npm from checking for a newer npm and writing a log.
          QUIET = { "COREPACK_ENABLE_NETWORK" => "0", "npm_config_update_notifier" => "false",
                    "npm_config_logs_max" => "0" }.freeze
          # Variables for the user's settings and caches. Each is set to a path in an empty folder.
          PLACES = { "HOME" => "", "XDG_CONFIG_HOME" => "/config", "XDG_CACHE_HOME" => "/cache",
                     "XDG_DATA_HOME" => "/data", "XDG_STATE_HOME" => "/state", "TMPDIR" => "/tmp",
                     "YARN_CACHE_FOLDER" => "/yarn", "npm_config_userconfig" => "/user",
                     "npm_config_globalconfig" => "/global" }.freeze
          KIND = "checks"
          FORMAT = "spate registry 1"
          # Paths that are not recorded: kernel state and user accounts.
          PASSING = %r{\A/(?:proc|sys|dev|run)(?:/|\z)|\A/etc/(?:ld\.so\.cache|passwd|group|nsswitch\.conf)\z}n
          # Trace events that do not prevent caching. npm lists the machine's addresses through a kernel socket.
          HARMLESS = ["network"].freeze
          KINDS = { read: :file, run: :run, listed: :listed, link: :link }.freeze

          @mutex = Mutex.new
          @answers = {}

          # The address, or nil. store: Store, or nil to cache nothing.
          def self.find(env, store)
            key = [env, store&.root]
            @mutex.synchronize { @answers.fetch(key) { @answers[key] = new(env, store).find } }
          end

          def initialize(env, store)
            unused = [UNUSED, Scripts::Variables::SESSION]
            @env = env.reject { |name, _| unused.any? { |each| each.match?(name) } }.except(*PLACES.keys).merge(QUIET)
            @store = store
          end

          def find = kept || asked

          private

          def key = @key ||= Store.sha256([FORMAT, @env.sort].inspect)

          def kept
            answer, record = @store&.read(KIND, key)&.b&.split("\n", 2)
            return unless record && Inputs.record?(record)

            answer.force_encoding(Encoding::UTF_8) unless Inputs.check(record, {}, env: @env).is_a?(Array)
          end

          def keep(answer)
            home = @store&.writable_store or return
            path = home.temporary("registry")
            changed = Inputs.record(path, @inputs, {}, env: @env)
            home.write(KIND, key, "#{answer}\n".b << File.binread(path)) unless changed
          rescue Store::Error, SystemCallError
            nil
          ensure
            Util::Files.remove(path) if path
          end

          def asked
            require "tmpdir"
            Dir.mktmpdir("spate-registry") do |home|
              @home = home
              @inputs = []
              answer = ask
              keep(answer) if answer && @inputs
              answer
            end
          end

          def ask
            ASKED.each do |tool, key|
              program = program(tool) or next
              answer = answer_of(program, "config", "get", key).strip
              return answer if ADDRESS.match?(answer)
            end
            nil
          end

          # The program's path. Records as inputs that the earlier folders of PATH do not have it.
          def program(name)
            found = NpmFolder.which(name, @env)
            folders = @env["PATH"].to_s.split(File::PATH_SEPARATOR).grep(%r{\A/})
            paths = folders.map { |folder| File.join(folder, name) }.take_while { |path| path != found }
            @inputs&.concat(paths.map { |path| [:looked, path] }) # also records absence
            found
          end

          def answer_of(*words)
            env = @env.merge(PLACES.transform_values { |inside| "#{@home}#{inside}" })
            return untraced(env, words) unless @store && Tracer.available? == true

            started = Inputs.start
            trace = Tracer.trace do |tracer|
              output(tracer.environment(env, env), tracer.command(*words), tracer.options)
            end
            note(trace, started)
            trace.value
          rescue SystemCallError, Native::Tracer::Error
            untraced(env, words)
          end

          def untraced(env, words)
            @inputs = nil
            output(env, words)
          rescue SystemCallError
            ""
          end

          # The output of a program, started in a folder without settings.
          def output(env, words, options = {})
            IO.popen(env, words, unsetenv_others: true, chdir: "/", in: File::NULL, err: File::NULL, **options, &:read)
          end

          def note(trace, started)
            found = trace.paths.reject do |path, kinds|
              made?(kinds) || PASSING.match?(path.b) || "#{path}/".start_with?("#{@home}/")
            end
            doubt = (trace.trouble - HARMLESS).any? || found.any? { |path, _| changed?(path, started) }
            @inputs = doubt ? nil : @inputs&.concat(found.flat_map { |path, kinds| inputs(path, kinds) })
          end

          # Whether the tool itself created the file.
          def made?(kinds) = kinds.first == :written || (kinds.include?(:written) && !kinds.include?(:read))

          # Whether a file was written since the start.
          def changed?(path, started)
            stat = File.stat(path)
            stat.file? && Inputs.since?(stat.ctime, started)
          rescue SystemCallError
            false
          end

          # [[kind, path], ...] in the form of Inputs.record.
          def inputs(path, kinds)
            found = KINDS.values_at(*kinds).compact
            found.delete(:link) unless File.symlink?(path)
            found.delete(:listed) unless File.directory?(path)
            (found.empty? ? [:looked] : found).map { |kind| [kind, path] }
          end
        end
      end
    end
  end
end
