# frozen_string_literal: true

module Spate
  module Install
    # The parts of an install that Bundler does.
    class ByBundler
      REMOVED = /\ARemoving (\S+) \((.+)\)/

      # report: Report, filled by this class.
      def initialize(context, report)
        @context = context
        @report = report
      end

      # Lets Bundler do the whole install, because Spate does not support a setting or plugin. reasons: [String] for the
      # user.
      def install(reasons)
        @context.events.emit(:handed_over, reasons: reasons)
        status = Gemfile::BundleCommand.install(@context.location, @context.settings)
        raise Gemfile::BundlerFailed.new(["install"], status, []) unless status.zero?

        @report.handed_over = reasons
        clean if @context.options.clean # Bundler applies the setting, but not this option
      end

      # Runs `bundle clean`, which removes gems that are not in the lockfile, with all of their files.
      def clean
        if @context.layout.system?
          return @report.warn("system gems were not cleaned: other bundles may use them; to remove them: " \
                              "`bundle clean --force`")
        end

        output = Gemfile::BundleCommand.capture(["clean"], @context.location, @context.settings)
        @report.removed = output.each_line.filter_map { |line| "#{$1}-#{$2}" if line =~ REMOVED }
      end

      # Runs the parts of an install that only Bundler supports, at the end.
      def finish
        @context.events.emit(:finishing, by: "Bundler")
        Gemfile::BundleCommand.finish(@context.location, @context.settings)
      end
    end
  end
end
