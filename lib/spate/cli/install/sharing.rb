# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # Sends the results of an install to the team's cache if this machine has a signing key. Runs in a low-priority
      # background process, but in the foreground in CI, where a background process would be killed at the end of the
      # job.
      class Sharing
        # One log per user, because several users may share a store.
        LOG = "logs/cache-push-#{Process.euid}.log".freeze
        # The maximum number of bytes to read from the log.
        LONGEST = 64 << 10
        private_constant :LONGEST

        # Returns [message, hint or nil] if the last background push failed, otherwise nil. store: a writable store.
        # Does not follow links and does not block, because other users of the store may have replaced the log.
        def self.failure(store)
          text = File.open(store.path(LOG), File::RDONLY | File::NOFOLLOW | File::NONBLOCK) do |file|
            file.stat.file? && file.stat.owned? ? file.read(LONGEST).to_s.scrub : ""
          end
          words = text[/^error: (.+)$/, 1] or return
          ["the results of the last install were not sent: #{words}", text[/^hint: (.+)$/, 1]]
        rescue SystemCallError
          nil
        end

        # Removes the log, after everything was sent.
        def self.forget(store) = Util::Files.remove(store.path(LOG))

        # context: Command::Context. wait: whether to send in the foreground (--push). The block receives warnings as
        # events.
        def initialize(context, terminal, wait:, json: nil, &warn)
          @context = context
          @terminal = terminal
          @wait = wait
          @json = json
          @warn = warn
        end

        # report: the report of the install.
        def call(report)
          return push if @wait
          return unless RemoteCache.set?(@context.settings)
          return unless key? && (report.built.positive? || report.fetched.positive?)

          ci? ? in_job : background
        end

        private

        # Whether there is a signing key. An invalid key is reported at each install, because users may not read the
        # log.
        def key?
          RemoteCache::Trust::PrivateKey.of(@context.env)
        rescue Settings::Error => e
          warn("#{e.message}; nothing is sent to the team's cache", e)
        end

        def ci? = !["", "false"].include?(@context.env["CI"].to_s)

        def push(**more)
          values = { json: @json, **more }.compact
          Cache::Push.new([], values: values, terminal: @terminal, context: @context).run
        end

        # Pushes in the foreground. A failure is only a warning, because the install has succeeded.
        def in_job
          push(noted: true)
        rescue Error => e
          warn("stopped sending to the team's cache: #{e.message}", e)
        end

        def warn(message, error)
          @warn.call(event: :warning, message: message, hint: error.hint)
          nil
        end

        # Pushes in a background process, which writes errors to the log. The next install reports them and sends the
        # missing entries.
        def background
          store = @context.store.writable_store or return
          warn_of_last_failure(store)
          output = log(store)
          start(output)
        rescue SystemCallError
          nil
        ensure
          output&.close
        end

        def warn_of_last_failure(store)
          message, hint = self.class.failure(store)
          @warn.call(event: :warning, message: message, hint: hint) if message
        end

        # Creates a new file, because other users of the store could have placed a link at the path. If that fails, the
        # push runs without a log.
        def log(store)
          path = store.path(LOG)
          store.make(File.dirname(path))
          Util::Files.remove(path)
          File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::NOFOLLOW, 0o600)
        rescue SystemCallError
          File.open(File::NULL, "w")
        end

        # Passes the key through a socket. Other processes of the user can read a process's environment, files and pipes
        # in /proc/PID, but not the data in a socket.
        def start(output)
          key = Util::SigningKey.of(@context.env)
          text = key.include?("-----BEGIN") ? key : File.read(key)
          require "socket"
          own, other = UNIXSocket.pair
          env = @context.env.merge(Util::SigningKey::VARIABLE => Util::SigningKey::HANDED)
          Process.detach(Process.spawn(env, *command, chdir: @context.location.root, pgroup: true, in: other,
                                                      %i[out err] => output, close_others: true))
          own.write(text)
        ensure
          [own, other].compact.each(&:close)
        end

        def command
          program = File.expand_path("../../../../exe/spate", __dir__)
          [Util::Ruby.path, "--disable-gems", program, "cache", "push", "--noted",
           "--gemfile", @context.location.gemfile]
        end
      end
    end
  end
end
