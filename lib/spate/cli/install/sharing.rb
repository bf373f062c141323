# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # After an install: what it made goes to the team's cache, if this machine may write there. Never before the
      # install has ended, by a process of its own at the lowest priority.
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

          background if key? && (report.built.positive? || report.fetched.positive?)
        end

        private

        def key? = !@context.env["SPATE_CACHE_KEY"].to_s.empty?

        def push = Cache::Push.new([], values: { json: @json }.compact, terminal: @terminal, context: @context).run

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
