# frozen_string_literal: true

require "test_helper"
require "zlib"
require "json"
require "openssl"
require "support/hostile_archives/tar"
require "support/restore_plan"

module Spate
  # Base class: generates packages, and has a fake client, a store and a project for each test.
  class RestoreCase < Minitest::Test
    # Serves archives by the name and version of the package, and records the requests.
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

    # A package manager's state file, which lists the restored packages.
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

    # Returns a gzipped tarball. files: {path => text or [text, mode]}.
    def tarball(files, top: "package")
      members = files.map do |path, (text, mode)|
        HostileArchives::Tar.member("#{top}/#{path}", text, mode: mode || 0o644)
      end
      gzip(HostileArchives::Tar.archive(*members))
    end

    # Compresses with a fixed time, so that the result is reproducible.
    def gzip(bytes)
      out = StringIO.new("".b)
      writer = Zlib::GzipWriter.new(out, 1)
      writer.mtime = 1
      writer.write(bytes)
      writer.finish.string
    end

    # Returns a Package, and adds its archive to the client. json: fields of package.json; files: other files.
    def package(name, version = "1.0.0", json: {}, files: {}, body: nil, integrity: true)
      body ||= tarball({ "package.json" => JSON.generate({ name: name, version: version, **json }), **files })
      client.archives["#{name}@#{version}"] = body
      digest = integrity == true ? "sha512-#{[OpenSSL::Digest::SHA512.digest(body)].pack("m0")}" : integrity
      JS::Package.new(name: name, version: version, integrity: JS::Package::Integrity.parse(digest))
    end

    def tree(path, package, **facts) = JS::Tree.new(path: path, package: package, key: path, **facts)

    # A Plan with these trees, links and bins.
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

    # Every path below a folder, including hidden ones.
    def all(folder = "node_modules")
      Dir.glob("**/*", File::FNM_DOTMATCH, base: inside(folder)).reject { |path| path.match?(%r{(?:\A|/)\.\z}) }.sort
    end
  end
end
