# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # After an install: what it made goes to the team's cache, if this machine may write there. Never before the
      # install has ended, by a process of its own at the lowest priority. In CI that would end with the job, so there
      # it is waited for.
      class Sharing
        LOG = "logs/cache-push.log"

        # context: Command::Context. wait: whether to send it in this process (--push).
        def initialize(context, terminal, wait:, json: nil)
          @context = context
          @terminal = terminal
          @wait = wait
          @json = json
        end

        # report: of the install.
        def call(report)
          return unless RemoteCache.set?(@context.settings)
          return push if @wait
          return unless set?("SPATE_CACHE_KEY") && (report.built.positive? || report.fetched.positive?)

          set?("CI") && @context.env["CI"] != "false" ? in_job : background
        end

        private

        def set?(name) = !@context.env[name].to_s.empty?

        def push(**more)
          values = { json: @json, **more }.compact
          Cache::Push.new([], values: values, terminal: @terminal, context: @context).run
        end

        # The install is done, and a cache that cannot be written fails no job.
        def in_job
          push(noted: true)
        rescue Error => e
          message = "nothing more is sent to the team's cache: #{e.message}"
          return @terminal.warning(message, hint: e.hint) unless @json

          Ground::JsonLines.new(@terminal.out).call(event: :warning, message: message, hint: e.hint)
        end

        # What goes wrong is in its log; what was not sent is sent after the next install.
        def background
          store = @context.store.keeper or return
          log = store.path(LOG)
          store.make(File.dirname(log))
          output = [log, File::WRONLY | File::CREAT | File::TRUNC, 0o600]
          Process.detach(Process.spawn(@context.env, *command, chdir: @context.location.root, pgroup: true,
                                                               in: File::NULL, %i[out err] => output))
        rescue SystemCallError
          nil
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
