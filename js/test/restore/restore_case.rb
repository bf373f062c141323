# frozen_string_literal: true

require "test_helper"
require "zlib"
require "json"
require "openssl"
require "support/hostile_archives/tar"
require "support/restore_plan"

module Spate
  # Made packages, a registry that is a Hash, a store and a project of the test's own.
  class RestoreCase < Minitest::Test
    # Hands out archives by name, and counts how often.
    class FakeClient
      Result = Struct.new(:bytes)
      attr_reader :asked, :archives

      def initialize
        @archives = {}
        @asked = []
        @mutex = Mutex.new
      end

      def jobs = 4

      def fetch(package, to:)
        @mutex.synchronize { @asked << package.full_name }
        body = @archives.fetch(package.full_name) { raise Spate::HTTP::Status::Missing, "404 #{package.full_name}" }
        raise body if body.is_a?(Exception)

        File.binwrite(to, body)
        Result.new(body.bytesize)
      end
    end

    # State files as a package manager's: what was restored.
    State = Struct.new(:path) do
      def files(outcome) = { path => "#{outcome.facts.keys.sort.join("\n")}\n" }
    end

    # Bins as npm links them.
    module Style
      def self.entries(folder, facts, _root)
        paths = facts.keys.grep(%r{\Anode_modules/})
        paths.flat_map { |path| facts[path].bins.map { |name, target| link(folder, name, "#{path}/#{target}") } }.to_h
      end

      def self.link(folder, name, target)
        ["#{folder.path}/#{name}", JS::Symlink.new("../#{target.delete_prefix("node_modules/")}")]
      end
    end

    def client = @client ||= FakeClient.new
    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})
    def root = @root ||= File.realpath(File.dirname(write("app/package.json", "{\"name\":\"app\"}")))

    # A tarball; files: {path => text or [text, mode]}.
    def tarball(files, top: "package")
      members = files.map do |path, (text, mode)|
        HostileArchives::Tar.member("#{top}/#{path}", text, mode: mode || 0o644)
      end
      gzip(HostileArchives::Tar.archive(*members))
    end

    # The same bytes whenever it is made.
    def gzip(bytes)
      out = StringIO.new("".b)
      writer = Zlib::GzipWriter.new(out, 1)
      writer.mtime = 1
      writer.write(bytes)
      writer.finish.string
    end

    # A Package that the client has. json: of its package.json; files: others.
    def package(name, version = "1.0.0", json: {}, files: {}, body: nil, integrity: true)
      body ||= tarball({ "package.json" => JSON.generate({ name: name, version: version, **json }), **files })
      client.archives["#{name}@#{version}"] = body
      digest = integrity == true ? "sha512-#{[OpenSSL::Digest::SHA512.digest(body)].pack("m0")}" : integrity
      JS::Package.new(name: name, version: version, integrity: JS::Package::Integrity.parse(digest))
    end

    def tree(path, package, **facts) = JS::Tree.new(path: path, package: package, key: path, **facts)

    # A Plan of trees; links and bins as given.
    def plan(*trees, links: {}, bins: [JS::BinFolder.new("node_modules/.bin", [], Style)], projects: ["."], **facts)
      JS::Plan.new(tool: "npm", root: root, trees: trees, links: links, bins: bins, projects: projects, skipped: [],
                   inputs: [File.join(root, "package.json")], state: State.new("node_modules/.state"),
                   fingerprint: "1", **facts)
    end

    def restore(plan, options: JS::Options.new, events: Events.new, store: self.store, surroundings: "here")
      RestorePlan.call(plan, store: store, client: client, env: {}, options: options, events: events,
                             surroundings: surroundings)
    end

    def inside(path) = File.join(root, path)
    def read(path) = File.read(inside(path))

    # Every path below a folder, hidden ones too.
    def all(folder = "node_modules")
      Dir.glob("**/*", File::FNM_DOTMATCH, base: inside(folder)).reject { |path| path.match?(%r{(?:\A|/)\.\z}) }.sort
    end
  end
end
