# frozen_string_literal: true

module Spate
  module CLI
    module Output
      module Packages
        # Reports what a restore skipped, before its summary: optional packages that could not be installed, and scripts
        # that are not allowed to run.
        module Notices
          # How many names are listed.
          NAMED = 5

          module_function

          # report: JS::Report, nil where the restore failed.
          def tell(report, terminal)
            return if report.nil? || report.noop?

            report.skipped.each { |key, why| terminal.warning("left out #{name(key)}, which is optional: #{why}") }
            untold = report.pending - report.told
            pending(untold, terminal) if untold.any?
          end

          def pending(keys, terminal)
            named = keys.first(NAMED).map { |key| name(key) }
            named << "#{Units.number(keys.length - NAMED)} more" if keys.length > NAMED
            whose = Units.count(keys.length, "package")
            terminal.warning("scripts of #{whose} are not allowed to run: #{named.join(", ")}",
                             hint: "spate js scripts")
          end

          # npm's keys are paths.
          def name(key) = key.sub(%r{\A.*node_modules/}, "")
          private_class_method :pending, :name
        end
      end
    end
  end
end
