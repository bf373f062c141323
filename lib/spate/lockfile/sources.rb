# frozen_string_literal: true

module Spate
  class Lockfile
    # A GEM section.
    #
    # @!attribute remotes
    #   @return [Array<String>] addresses as written, in the order of use; may be empty
    GemSource = Struct.new(:remotes) do
      # @return [Symbol] `:gem`
      def type = :gem
      # @return [String] the addresses, for messages
      def to_s = remotes.empty? ? "locally installed gems" : remotes.join(", ")
    end

    # A GIT section.
    #
    # @!attribute uri
    #   @return [String] address of the repository
    # @!attribute revision
    #   @return [String] the locked commit
    # @!attribute ref
    #   @return [String, nil] `ref:` of the Gemfile
    # @!attribute branch
    #   @return [String, nil] `branch:` of the Gemfile
    # @!attribute tag
    #   @return [String, nil] `tag:` of the Gemfile
    # @!attribute submodules
    #   @return [Boolean, nil] `submodules:` of the Gemfile
    # @!attribute glob
    #   @return [String, nil] pattern of the gemspecs; nil for the default
    # @!attribute name
    #   @return [String] name of the checkout
    GitSource = Struct.new(:uri, :revision, :ref, :branch, :tag, :submodules, :glob, :name, keyword_init: true) do
      # @return [Symbol] `:git`
      def type = :git
      # @return [String] address and commit, for messages
      def to_s = "#{uri} (at #{[tag || branch || ref, revision.to_s[0, 7]].compact.join("@")})"
    end

    # A PATH section.
    #
    # @!attribute remote
    #   @return [String] the path as written, relative to the folder of the Gemfile
    # @!attribute glob
    #   @return [String, nil] pattern of the gemspecs; nil for the default
    PathSource = Struct.new(:remote, :glob) do
      # @return [Symbol] `:path`
      def type = :path
      # @return [String] the path as written
      def to_s = remote
    end

    # A PLUGIN SOURCE section: a source that only a Bundler plugin can read.
    #
    # @!attribute plugin
    #   @return [String] the source's type
    # @!attribute options
    #   @return [Hash{String => Object}] all options of the section
    PluginSource = Struct.new(:plugin, :options) do
      # @return [Symbol] `:plugin`
      def type = :plugin
      # @return [String] address and type, for messages
      def to_s = "#{options["remote"]} (plugin #{plugin})"
    end

    # Builds a source from the header and lines of its section.
    # @!visibility private
    module Sources
      # options: name => String, true, false, or an Array of these if the option occurs more than once.
      def self.build(kind, options)
        case kind
        when "GEM" then GemSource.new(Array(options["remote"]))
        when "GIT" then git(options.transform_values { |value| Array(value).last })
        when "PATH" then PathSource.new(Array(options["remote"]).last, Array(options["glob"]).last)
        else PluginSource.new(options["type"], options)
        end
      end

      def self.git(options)
        uri = options["remote"].to_s
        GitSource.new(uri: uri, revision: options["revision"], ref: options["ref"], branch: options["branch"],
                      tag: options["tag"], submodules: options["submodules"], glob: options["glob"],
                      name: options["name"] || File.basename(uri, ".git"))
      end
      private_class_method :git
    end
  end
end
