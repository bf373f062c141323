# frozen_string_literal: true

module Spate
  module Install
    # Gems that come from no gem source: git checkouts and folders of the application.
    class SourceStep
      def initialize(context)
        @context = context
      end

      # Answers further trees for the bundle's record.
      def call(plan)
        plan.packages.group_by(&:source).each do |source, packages|
          git(source, packages) if packages.first.git?
          path(source, packages) if packages.first.path?
        end
        []
      end

      private

      def git(source, packages); end

      def path(source, packages); end
    end
  end
end
