# frozen_string_literal: true

module Spate
  module JS
    # Options of the command line, which override the package manager's configuration.
    #
    # jobs:: maximum number of scripts and of unpacking threads, Integer, or nil for the default
    # copy:: copies instead of links; nil if not given
    # local:: no network
    # omit:: kinds of dependencies to leave out: "dev", "optional", "peer"
    # ignore_scripts:: run no scripts, not even the project's own; nil if not given
    # global_virtual_store:: pnpm: trees below the store, one symbolic link per package in the project; nil if not given
    # serial:: unpack with one thread, for comparison
    # rebuild:: names of packages to build again, :all, or nil
    # restore:: names (see Tree#names) of packages to put into place again, :all, or nil
    Options = Struct.new(:jobs, :copy, :local, :omit, :ignore_scripts, :global_virtual_store, :serial, :rebuild,
                         :restore, keyword_init: true) do
      def initialize(omit: [], **given) = super

      # Options that determine where packages are placed, as text: { name => value }. omit: all omitted kinds.
      def shape(omit = nil)
        omit ||= self.omit
        { "omit" => (omit.join(",") if omit.any?), "global_virtual_store" => global_virtual_store&.to_s }.compact
      end

      # A copy in which options that are not set have the values of another run's shape.
      def shaped(shape)
        dup.tap do |options|
          options.omit = shape["omit"].split(",") if omit.empty? && shape["omit"]
          if global_virtual_store.nil? && shape["global_virtual_store"]
            options.global_virtual_store = shape["global_virtual_store"] == "true"
          end
        end
      end

      # Options that are set, but not supported by the tool: ["--copy"].
      def unsupported_by(tool)
        slots = "--#{"no-" unless global_virtual_store}global-virtual-store"
        { "--copy" => copy, "--local" => local, "--restore NAMES" => restore.is_a?(Array),
          slots => tool == "pnpm" && !global_virtual_store.nil? }.select { |_, given| given }.keys
      end

      def omit?(kind) = omit.include?(kind.to_s)
      def rebuild?(name) = rebuild == :all || Array(rebuild).include?(name)
      def restore?(tree) = restore == :all || tree.names.intersect?(Array(restore))

      # Raises UnknownPackage for names to restore that no tree has.
      def check_names(trees)
        names = trees.flat_map(&:names) if restore.is_a?(Array)
        unknown = (restore - names).first if names
        raise UnknownPackage.new(unknown, names) if unknown
      end
    end
  end
end
