# frozen_string_literal: true

module Spate
  module Install
    # One package to install, and its state.
    #
    # sha256:: SHA-256 of its archive (hex), or nil if not yet known
    # manifest:: Native::Manifest of its files, or nil if it is not yet in the store
    # tree:: a folder with its files that can be renamed into the bundle, or nil
    # generated:: Specification::GeneratedFiles, or nil if not yet known
    # signers:: signers of the builds of its dependencies: see Extensions::DependencyBuilds
    # build:: Build::Cache::Entry of its build, or nil
    # shared:: whether the build came from the team's cache in this run
    # replaces:: whether the bundle had the gem before this run
    # origin:: source of its files in this run: :network, :vendor, :team (the team's cache) or :store; :bundle if it was
    #          already installed
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
      def facts_match? = facts.of?(package)

      # Whether the archive matches the package's content address, if it has one.
      def addressed? = package.content_address.nil? || sha256.start_with?(package.content_address)

      # The name of the generated files in the store, which depends on the content address.
      def texts = [sha256, package.content_address].compact.join("-")

      def manifest=(manifest)
        set_manifest(manifest, nil)
      end

      # facts: the Specification::Facts of the manifest, if they are already known.
      def set_manifest(manifest, facts)
        @manifest = manifest
        @facts = facts
      end

      # Deletes the tree if it was not used.
      def discard_tree
        Store::Sweep.remove(tree) if tree
        self.tree = nil
      end

      def facts = @facts ||= Specification::Facts.parse(manifest.facts)
      # Whether the package is missing from the store.
      def missing? = %i[needed acquiring].include?(state)
      def native? = facts.native?
      def stored? = !manifest.nil? && !generated.nil?
    end
  end
end
