# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # After an install: what it made goes to the team's cache, if this machine may write there. Never before the
      # install has ended, by a process of its own at the lowest priority. In CI that would end with the job, so there
      # it is waited for.
      class Sharing
        # Each user has an own one: a store may be a group's.
        LOG = "logs/cache-push-#{Process.euid}.log".freeze
        # Bytes of it that are read.
        LONGEST = 64 << 10
        private_constant :LONGEST

        # That the last of them could not send: [words, hint or nil], nil where it could. store: one that is written.
        # Who else may write there may have put anything in its place.
        def self.failure(store)
          text = File.open(store.path(LOG), File::RDONLY | File::NOFOLLOW | File::NONBLOCK) do |file|
            file.stat.file? && file.stat.owned? ? file.read(LONGEST).to_s.scrub : ""
          end
          words = text[/^error: (.+)$/, 1] or return
          ["what the last install made was not sent: #{words}", text[/^hint: (.+)$/, 1]]
        rescue SystemCallError
          nil
        end

        # All was sent since.
        def self.forget(store) = Ground::Files.remove(store.path(LOG))

        # context: Command::Context. wait: whether to send it in this process (--push). The block takes what is wrong
        # with the keys, as facts of a warning.
        def initialize(context, terminal, wait:, json: nil, &warn)
          @context = context
          @terminal = terminal
          @wait = wait
          @json = json
          @warn = warn
        end

        # report: of the install.
        def call(report)
          return push if @wait
          return unless RemoteCache.set?(@context.settings)
          return unless key? && (report.built.positive? || report.fetched.positive?)

          ci? ? in_job : background
        end

        private

        # Where there is one, it is looked at in each run: nobody reads the log of who cannot send.
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

        # The install is done, and a cache that cannot be written fails no job.
        def in_job
          push(noted: true)
        rescue Error => e
          warn("nothing more is sent to the team's cache: #{e.message}", e)
        end

        def warn(message, error)
          @warn.call(event: :warning, message: message, hint: error.hint)
          nil
        end

        # What goes wrong is in its log, and told by the next; what was not sent is sent then.
        def background
          store = @context.store.keeper or return
          tell_last(store)
          output = log(store)
          start(output)
        rescue SystemCallError
          nil
        ensure
          output&.close
        end

        def tell_last(store)
          message, hint = self.class.failure(store)
          @warn.call(event: :warning, message: message, hint: hint) if message
        end

        # A fresh file: who else may write there may have put a link. Without a log it is sent all the same.
        def log(store)
          path = store.path(LOG)
          store.make(File.dirname(path))
          Ground::Files.remove(path)
          File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::NOFOLLOW, 0o600)
        rescue SystemCallError
          File.open(File::NULL, "w")
        end

        # What a process has in its environment, in files or in pipes, its user's others can read (/proc/PID), but not
        # what is in a socket: so the key comes through one.
        def start(output)
          key = Ground::SigningKey.of(@context.env)
          text = key.include?("-----BEGIN") ? key : File.read(key)
          require "socket"
          own, other = UNIXSocket.pair
          env = @context.env.merge(Ground::SigningKey::VARIABLE => Ground::SigningKey::HANDED)
          Process.detach(Process.spawn(env, *command, chdir: @context.location.root, pgroup: true, in: other,
                                                      %i[out err] => output, close_others: true))
          own.write(text)
        ensure
          [own, other].compact.each(&:close)
        end

        def command
          program = File.expand_path("../../../../exe/spate", __dir__)
          [Ground::Ruby.path, "--disable-gems", program, "cache", "push", "--noted",
           "--gemfile", @context.location.gemfile]
        end
      end
    end
  end
end
