# frozen_string_literal: true

module Spate
  module Install
    # One package on its way into the bundle, and how far it is.
    #
    # sha256:: of its archive, hex, once known
    # manifest:: Native::Manifest of its files, once it is in the store
    # tree:: a folder with its files already made, to be renamed into place, or nil
    # generated:: Specification::GeneratedFiles, once known
    # early:: whether its build began before gems that it depends on were in place; nil while it did not begin
    # signers:: of builds that its own build sees: see Extensions::DependencyBuilds
    # build_key, build:: the key of its build, and a Build::Cache::Entry once there is one
    # shared:: whether the build was made on another machine, and had from the team's cache in this run
    # replaces:: whether the bundle had the gem before this run
    # origin:: :network, :vendor, :team (its cache) or :store: where its files came from in this run; :bundle when it
    #          was in place
    class Item
      attr_reader :package, :manifest
      attr_accessor :sha256, :generated, :tree, :origin, :build_key, :build, :bytes, :state, :seconds,
                    :retried, :early, :shared, :signers, :replaces

      def initialize(package)
        @package = package
        @state = nil
      end

      def name = package.name
      def full_name = package.full_name
      # Whether the manifest is this package's: a lockfile may name the checksum of another gem's archive.
      def right? = facts.of?(package)

      # Whether the archive has the content address of its package, if that has one.
      def addressed? = package.content_address.nil? || sha256.start_with?(package.content_address)

      # The name of the generated files in the store: an address stands in them, and there are none for a wrong one.
      def texts = [sha256, package.content_address].compact.join("-")

      def manifest=(manifest)
        have(manifest, nil)
      end

      # facts: what the manifest says, where that is known without reading it.
      def have(manifest, facts)
        @manifest = manifest
        @facts = facts
      end

      # Removes a tree that no bundle took.
      def discard_tree
        Store::Sweep.remove(tree) if tree
        self.tree = nil
      end

      def facts = @facts ||= Specification::Facts.parse(manifest.facts)
      # Whether it is not in the store yet.
      def lacking? = %i[needed acquiring].include?(state)
      def native? = facts.native?
      # It comes from a gem source.
      def checkout = nil
      def stored? = !manifest.nil? && !generated.nil?
    end
  end
end
