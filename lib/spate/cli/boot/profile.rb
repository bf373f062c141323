# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # `spate boot profile [--output FILE] [--compare WITH] -- COMMAND`
      class Profile < Subcommand
        PAGE = "spate-profile.html"
        PLAIN = "plain"
        SHOWN = 10
        NOT_RUN = [::Spate::Boot::Exec::Program::NOT_EXECUTABLE, ::Spate::Boot::Exec::Program::NOT_FOUND].freeze

        def run
          if operands.empty?
            raise UsageError.new("expected a command to profile", hint: "spate boot profile -- bin/rails runner 1")
          end

          writable
          other = other()
          first = ::Spate::Profile::Run.new(operands, env: context.env)
          trace = first.call
          return unwritten(first.status.exitstatus) if NOT_RUN.include?(first.status.exitstatus)

          runs = [trace.to_h, other || plain].compact
          write(runs)
          print_summary(runs)
          first.status.exitstatus || (128 + first.status.termsig.to_i)
        end

        private

        # Warns that no page was written. An existing page is kept.
        def unwritten(status)
          terminal.warning("no page was written: the command ended with status #{status}")
          status
        end

        # Checks that the page can be written. Called before the command runs, because the command may take long.
        def writable
          folder = File.dirname(page)
          reason = if !File.directory?(folder) then "not a directory: #{folder}"
                   elsif !File.writable?(folder) then "#{folder} is not writable"
                   elsif File.directory?(page) then "it is a folder"
                   end
          raise UsageError.new("#{page} cannot be written: #{reason}", hint: "use another --output FILE") if reason
        end

        # Returns the run to compare with if --compare names a file, otherwise nil. Read before the command runs, to
        # report errors early.
        def other
          wanted = values[:compare]
          ::Spate::Profile::Comparison.read(wanted) if wanted && wanted != PLAIN
        end

        def plain
          ::Spate::Profile::Run.new(operands, plain: true, env: context.env).call.to_h if values[:compare] == PLAIN
        end

        def page = File.expand_path(values[:output] || PAGE)
        def data = "#{page.delete_suffix(".html").delete_suffix(".json")}.json"

        def write(runs)
          File.write(data, ::Spate::Profile::Page.json(runs))
          File.write(page, ::Spate::Profile::Page.new(runs).to_s) unless page == data
        end

        def print_summary(runs)
          if json?
            facts = runs.map { |run| run.slice(:mode, :wall, :cpu, :shares, :gems) }
            return json.call(event: :boot_profiled, page: page, data: data, runs: facts)
          end

          first = runs.first
          terminal.info "#{first[:mode]}: #{seconds(first[:wall])}#{against(runs[1])}"
          first[:shares].each { |share| terminal.info "  #{seconds(share[:wall]).rjust(8)}  #{share[:label]}" }
          terminal.info "slowest gems: #{first[:gems].first(SHOWN).map { |gem| gem[:name] }.join(", ")}"
          terminal.info "the page: #{page}"
        end

        def against(run)
          run && ", against #{run[:mode]}: #{seconds(run[:wall])}"
        end

        def seconds(micro) = format("%.1f ms", micro / 1000.0)
      end
    end
  end
end
