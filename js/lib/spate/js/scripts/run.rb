# frozen_string_literal: true

require "spate/ear"

module Spate
  module JS
    module Scripts
      # Runs the scripts of one job, one after the other, and traces each.
      class Run
        # session: Session.
        def initialize(job, session)
          @job = job
          @session = session
          @mutex = Mutex.new
        end

        # [Ear::Heard], nil if tracing is not available. Raises ScriptFailed, Interrupted.
        def call
          heard = [] if Ear.available? == true && !@job.own?
          @job.scripts.each { |event, text| script(event, text, heard) }
          heard
        end

        # From any thread.
        def stop
          @mutex.synchronize { @stopped = true }
          @child&.stop
        end

        private

        def script(event, text, heard)
          log = @session.temporary
          status = listen(heard) { |ear| start(event, text, log, ear) }
          raise Interrupted, "interrupted" if @child.stopped?

          raise failure(event, text, status, log) unless status.success?
        ensure
          Util::Files.remove(log) if log
        end

        def listen(heard, &block)
          return yield unless heard

          found = Ear.hear(&block)
          heard << found
          found.value
        end

        def start(event, text, log, ear)
          variables = @session.variables.of(@job, event, text).merge(@session.added)
          variables = Ear.parting(variables, @session.plan.root) || variables
          child = Tools::Child.new(variables, log, folder: @job.folder, ear: ear,
                                                   inherited: @session.jobserver.descriptors)
          @mutex.synchronize do
            raise Interrupted, "interrupted" if @stopped

            @child = child
          end
          child.run(*@session.shell, text)
        end

        def failure(event, text, status, log)
          diagnosis = Diagnosis.new(File.exist?(log) ? File.binread(log) : "")
          reason = status.signaled? ? "signal #{status.termsig}" : "exit code #{status.exitstatus}"
          ScriptFailed.new(@job.label, event, text, reason, log: @session.keep_log(@job, log), hint: diagnosis.hint,
                                                            lines: diagnosis.details)
        end
      end
    end
  end
end
