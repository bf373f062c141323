# frozen_string_literal: true

module Spate
  module Install
    # What the command line asked for, beside Bundler's settings (which the caller lays over Settings itself).
    #
    # jobs:: builds and unpacking threads at most, Integer, or nil for the default
    # copy:: copies instead of links; nil where not said
    # local:: no network
    # clean:: remove gems that the bundle does not name
    # refresh:: ask all sources again for what their names stand for, also for what is installed
    # rebuild:: names or full names of gems to build again, or nil
    # restore:: the same of gems to install again, or :all
    # resolved:: whether Bundler has just resolved for this install, and written the lockfile
    # background:: the user may be at work in the application meanwhile: a Gemfile cannot change files
    # backlog:: Fetch::Backlog that another half shares, or nil for one of its own
    Options = Struct.new(:jobs, :copy, :local, :clean, :refresh, :rebuild, :restore, :resolved, :background, :backlog,
                         keyword_init: true) do
      def rebuild?(package) = named?(rebuild, package)
      def restore?(package) = restore == :all || named?(restore, package)

      private

      def named?(names, package) = !names.nil? && (names & [package.name, package.full_name]).any?
    end
  end
end
