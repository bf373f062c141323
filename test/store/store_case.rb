# frozen_string_literal: true

require "test_helper"
require "rubygems/package"

module Spate
  # A store for each test, real gems, and projects that link them.
  class StoreCase < Minitest::Test
    ROOT = "vendor/bundle/ruby/3.1.0"

    def store = @store ||= open_store
    def open_store = Store.open(home: File.join(folder, "home"), env: {})

    # Builds a gem with RubyGems. files: {path => content}. Returns the archive's path.
    def gem_file(name, version, files)
      source = File.join(folder, "source", "#{name}-#{version}")
      files.each { |path, text| write("source/#{name}-#{version}/#{path}", text, mode: 0o644) }
      spec = Gem::Specification.new(name, version) do |made|
        made.summary = made.author = "test"
        made.files = files.keys
      end
      Dir.chdir(source) { Gem::DefaultUserInteraction.use_ui(Gem::SilentUI.new) { Gem::Package.build(spec, true) } }
      File.join(source, "#{name}-#{version}.gem")
    end

    # Unpacks an archive into the store, like an install. Returns its SHA-256.
    def add(archive, to: store)
      unpacked = to.native.unpack(archive, kind: :gem)
      FileUtils.cp(archive, to.archive_path(unpacked.sha256))
      unpacked.write_manifest(to.package_path(unpacked.sha256), "name\ttest\n")
      unpacked.sha256
    ensure
      unpacked&.close
    end

    # Adds a gem to the store. Returns the SHA-256 of its archive.
    def package(name = "alpha", version = "1.0", files = nil)
      add(gem_file(name, version, files || { "lib/#{name}.rb" => "module A; end\n", "README" => "read\n" }))
    end

    # A project whose bundle has links to these packages ({full name => sha256}), and a record. Returns the
    # BundleRecord.
    def project(name, packages, link_method: :hard)
      app = File.join(folder, name)
      root = File.join(app, ROOT)
      jobs = packages.map { |full, sha256| [File.join(root, "gems", full), [store.package(sha256)], link_method] }
      store.native.link(jobs).each { |result| assert result.ok?, result.message }
      trees = packages.map { |full, key| Store::BundleRecord::Tree.new(path: "gems/#{full}", packages: [key]) }
      bundle = Store::BundleRecord.new(root: root, app: app, trees: trees, link_method: link_method)
      assert bundle.save(store)
      bundle
    end

    # The path of the object of a package's file.
    def object(sha256, path)
      manifest = store.package(sha256)
      entry = manifest.entry(manifest.index(path))
      store.native.object_path(entry[:sha256], entry[:mode])
    end

    def file(bundle, path) = File.join(bundle.root, path)
    def inode(path) = File.stat(path).ino

    # Overwrites a file in place, so that it keeps its inode.
    def edit_in_place(path, text)
      sleep 0.02 # after the clock tick in which the file was written
      File.open(path, "r+") do |io|
        io.write(text)
        io.truncate(text.bytesize)
      end
    end

    def root? = Process.euid.zero?
  end
end
