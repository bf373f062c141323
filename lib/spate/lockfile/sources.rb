# frozen_string_literal: true

module Spate
  class Lockfile
    # A GEM section. remotes: [String] as written, the first is the first to be asked; may be empty.
    GemSource = Struct.new(:remotes) do
      def type = :gem
      def to_s = remotes.empty? ? "locally installed gems" : remotes.join(", ")
    end

    # A GIT section. submodules: true, false or nil; glob: pattern of the gemspecs or nil for the usual one.
    GitSource = Struct.new(:uri, :revision, :ref, :branch, :tag, :submodules, :glob, :name, keyword_init: true) do
      def type = :git
      def to_s = "#{uri} (at #{[tag || branch || ref, revision.to_s[0, 7]].compact.join("@")})"
    end

    # A PATH section. remote: the path as written, relative to the folder of the Gemfile; glob as for git.
    PathSource = Struct.new(:remote, :glob) do
      def type = :path
      def to_s = remote
    end

    # A PLUGIN SOURCE section: a source only a Bundler plugin can read. plugin: its type; options: all its lines.
    PluginSource = Struct.new(:plugin, :options) do
      def type = :plugin
      def to_s = "#{options["remote"]} (plugin #{plugin})"
    end

    # Makes a source of its section's header and lines.
    module Sources
      # options: name => String, true, false, or an Array of these where a line occurs more than once.
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
