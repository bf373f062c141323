# frozen_string_literal: true

require "spate/tracer"

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

        # [Tracer::Trace], nil if tracing is not available. Raises ScriptFailed, Interrupted.
        def call
          trace = [] if Tracer.available? == true && !@job.own?
          @job.scripts.each { |event, text| script(event, text, trace) }
          trace
        end

        # From any thread.
        def stop
          @mutex.synchronize { @stopped = true }
          @child&.stop
        end

        private

        def script(event, text, trace)
          log = @session.temporary
          status = listen(trace) { |tracer| start(event, text, log, tracer) }
          raise Interrupted, "interrupted" if @child.stopped?

          raise failure(event, text, status, log) unless status.success?
        ensure
          Util::Files.remove(log) if log
        end

        def listen(trace, &block)
          return yield unless trace

          found = Tracer.trace(&block)
          trace << found
          found.value
        end

        def start(event, text, log, tracer)
          variables = @session.variables.of(@job, event, text).merge(@session.added)
          variables = Tracer.parting(variables, @session.plan.root) || variables
          child = Tools::Child.new(variables, log, folder: @job.folder, tracer: tracer,
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

      # Selects the lines of a failed script's log to show: first the errors of compilers and other tools, then the end.
      class Diagnosis
        FIRST = 6
        LAST = 12
        # Lines that node-gyp prints for any error.
        NOISE = /\A(?:gyp (?:ERR!|info|verb)|npm (?:err|notice|warn))/i

        def initialize(text)
          @lines = ::Spate::Build::Failure::Log.new(text).text.lines(chomp: true)
                                               .reject { |line| line.strip.empty? }
        end

        # [String]
        def details
          matter = @lines.grep(::Spate::Build::Failure::MATTER).grep_v(NOISE).first(FIRST)
          last = end_of(@lines.grep_v(NOISE))
          ((matter - last) + last).map { |line| line.rstrip[0, 300] }
        end

        # The system's package that is missing, or nil.
        def hint = ::Spate::Build::Failure::Packages.find(@lines.join("\n"))&.hint

        private

        def end_of(lines) = (lines.empty? ? @lines : lines).last(LAST)
      end
    end
  end
end
