# frozen_string_literal: true

module Spate
  module Install
    # One package to install, and its state.
    #
    # sha256:: of its archive, hex, once known
    # manifest:: Native::Manifest of its files, once it is in the store
    # tree:: a folder with its files, to be renamed into the bundle, or nil
    # generated:: Specification::GeneratedFiles, once known
    # signers:: signers of the builds that its own build sees: see Extensions::DependencyBuilds
    # build:: Build::Cache::Entry of its build, once there is one
    # shared:: whether the build came from the team's cache in this run
    # replaces:: whether the bundle had the gem before this run
    # origin:: where its files came from in this run: :network, :vendor, :team (its cache) or :store; :bundle if already
    #          installed
    class Item
      attr_reader :package, :manifest
      attr_accessor :sha256, :generated, :tree, :origin, :build, :bytes, :state, :seconds,
                    :retried, :shared, :signers, :replaces

      def initialize(package)
        @package = package
        @state = nil
      end

      def name = package.name
      def full_name = package.full_name
      # Whether the manifest belongs to this package. A lockfile may have the checksum of another gem's archive.
      def right? = facts.of?(package)

      # Whether the archive matches the package's content address, if it has one.
      def addressed? = package.content_address.nil? || sha256.start_with?(package.content_address)

      # The name of the generated files in the store, which depends on the content address.
      def texts = [sha256, package.content_address].compact.join("-")

      def manifest=(manifest)
        have(manifest, nil)
      end

      # facts: the facts of the manifest, if known without reading it.
      def have(manifest, facts)
        @manifest = manifest
        @facts = facts
      end

      # Removes an unused tree.
      def discard_tree
        Store::Sweep.remove(tree) if tree
        self.tree = nil
      end

      def facts = @facts ||= Specification::Facts.parse(manifest.facts)
      # Whether it is missing from the store.
      def lacking? = %i[needed acquiring].include?(state)
      def native? = facts.native?
      def stored? = !manifest.nil? && !generated.nil?
    end
  end
end
