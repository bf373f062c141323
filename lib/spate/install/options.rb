# frozen_string_literal: true

module Spate
  module Install
    # Options of the command line, except those that are Bundler's settings (the caller merges them into Settings).
    #
    # jobs:: maximum of builds and unpacking threads, Integer, or nil for the default
    # copy:: copies instead of links; nil if not given
    # local:: no network
    # clean:: remove gems that the bundle does not name
    # refresh:: revalidate all names without checksum at the sources, also of installed gems
    # rebuild:: names or full names of gems to rebuild, or nil
    # restore:: names or full names of gems to reinstall, :all, or nil
    # resolved:: whether Bundler has just resolved for this install, and written the lockfile
    # background:: the user may be working in the application: evaluating a Gemfile must not change files
    # backlog:: Fetch::Backlog shared with another half, or nil
    Options = Struct.new(:jobs, :copy, :local, :clean, :refresh, :rebuild, :restore, :resolved, :background, :backlog,
                         keyword_init: true) do
      def rebuild?(package) = named?(rebuild, package)
      def restore?(package) = restore == :all || named?(restore, package)

      private

      def named?(names, package) = !names.nil? && (names & [package.name, package.full_name]).any?
    end
  end
end
