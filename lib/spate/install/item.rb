# frozen_string_literal: true

module Spate
  module Install
    # One package on its way into the bundle, and how far it is.
    #
    # sha256:: of its archive, hex, once known
    # manifest:: Native::Manifest of its files, once it is in the store
    # tree:: a folder with its files already made, to be renamed into place, or nil
    # origin:: :network, :vendor or :store: where its files came from in this run; :bundle when it was in place
    class Item
      attr_reader :package
      attr_accessor :sha256, :manifest, :derived, :tree, :origin, :build_key, :build, :bytes, :state, :seconds,
                    :retried

      def initialize(package)
        @package = package
        @state = :unknown
      end

      def name = package.name
      def full_name = package.full_name
      def facts = @facts ||= Facts.parse(manifest.facts)
      def native? = facts.native?
      def stored? = !manifest.nil? && !derived.nil?
    end
  end
end
