# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "spate"
require "open3"

module Spate
  # Installs a Gemfile with Bundler and with Spate, in the same folder, and compares the results path by path. Other
  # tests cover native extensions and executables.
  class GitAgainstBundlerTest < Minitest::Test
    # Times, process IDs and the packing of objects also differ between two runs of Bundler.
    VOLATILE = %r{/objects/|/logs/|/\.git/index\z|/hooks/}

    def test_tree_equals_that_of_bundler
      repository = GemSource::Repository.new(File.join(folder, "twin"))
      folders = "spec.files += Dir['sub/**/*']" # folders among the files, as in a careless gemspec
      first = repository.commit({ **GemSource::Repository.gem_files("twin", "1.0", extra: folders),
                                  **GemSource::Repository.gem_files("sub", "0.1", folder: "sub"),
                                  "exe/twin" => ["#!/usr/bin/env ruby\n", 0o755], "link" => "x" })
      repository.git("tag", "v1")
      ["branch: \"main\"", "ref: #{first.dump}", "tag: \"v1\""].each_with_index do |option, number|
        app = File.join(folder, "app#{number}")
        write("app#{number}/Gemfile", "git #{repository.url.dump}, #{option} do\n  gem \"twin\"\n  gem \"sub\"\nend\n")
        by_bundler(app)
        repository.commit({ "NEWS" => "#{number}\n" }) # a new commit after the lockfile was written
        FileUtils.rm_rf(File.join(app, "bundle"))
        expected = by_bundler(app)
        FileUtils.rm_rf(File.join(app, "bundle"))

        assert_equal expected, by_spate(app), option
        assert_includes expected.keys.join(" "), "twin.gemspec"
      end
    end

    private

    def by_bundler(app)
      output, status = Open3.capture2e({ "BUNDLE_PATH" => "bundle", "HOME" => folder, "RUBYOPT" => nil,
                                         "BUNDLE_GEMFILE" => nil }, "bundle", "install", chdir: app)
      assert_predicate status, :success?, output
      tree(app)
    end

    def by_spate(app)
      lockfile = Lockfile.parse(File.read(File.join(app, "Gemfile.lock")), path: "Gemfile.lock")
      settings = Settings.load(root: app, env: { "HOME" => folder, "BUNDLE_PATH" => "bundle" })
      Git.checkout(lockfile.sources.find do |source|
                     source.type == :git
                   end, store: Store.open(home: File.join(app, "home")),
                        layout: Layout.for(settings, app),
                        settings: settings)
      tree(app)
    end

    # { path => [mode, content] } below the bundle.
    def tree(app)
      root = File.join(app, "bundle", Layout.ruby_scope)
      names = Dir.glob("{bundler,cache}/**/*", File::FNM_DOTMATCH, base: root).select { |name| compared?(name) }
      names.sort.to_h do |name|
        path = File.join(root, name)
        [name, [format("%o", File.lstat(path).mode), File.file?(path) ? content(path) : nil]]
      end
    end

    def compared?(name)
      return false if name.match?(VOLATILE)

      shallow_clones? || !(name.include?("/.git") || name.start_with?("cache"))
    end

    # packed-refs and FETCH_HEAD list the fetched refs in any order.
    def content(path) = File.binread(path).lines.sort.join

    # Whether `bundle` makes shallow clones. Bundler before 2.4 clones whole repositories, so only the checked out files
    # can be compared.
    def shallow_clones?
      @shallow_clones ||= [Gem::Version.new(`bundle --version`[/[\d.]+/]) >= Gem::Version.new("2.4")]
      @shallow_clones.first
    end
  end
end
