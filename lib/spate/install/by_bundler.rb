# frozen_string_literal: true

module Spate
  module Install
    # The parts of an install that Bundler does.
    class ByBundler
      REMOVED = /\ARemoving (\S+) \((.+)\)/

      # report: Report, which this fills.
      def initialize(context, report)
        @context = context
        @report = report
      end

      # Lets Bundler do the whole install, if Spate does not support a setting or plugin. reasons: [String] for the
      # user.
      def install(reasons)
        @context.events.emit(:handed_over, reasons: reasons)
        status = Gemfile::BundleCommand.install(@context.location, @context.settings)
        raise Gemfile::BundlerFailed.new(["install"], status, []) unless status.zero?

        @report.handed_over = reasons
        clean if @context.options.clean # Bundler itself applies the setting
      end

      # `bundle clean`: removes gems that the lockfile does not name. Bundler knows the other files that belong to a
      # gem.
      def clean
        if @context.layout.system?
          return @report.warn("system gems were not cleaned: other bundles may use them; to remove them: " \
                              "`bundle clean --force`")
        end

        output = Gemfile::BundleCommand.capture(["clean"], @context.location, @context.settings)
        @report.removed = output.each_line.filter_map { |line| "#{$1}-#{$2}" if line =~ REMOVED }
      end

      # The end of an install.
      def finish
        @context.events.emit(:finishing, by: "Bundler")
        Gemfile::BundleCommand.finish(@context.location, @context.settings)
      end
    end
  end
end
