# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "spate"

module Spate
  # Git::Checkout creates and reuses checkouts in Bundler's layout. The repositories are local.
  class GitCheckoutTest < Minitest::Test
    Layout = Struct.new(:bundler_gems, :git_cache, :rubygems)
    Rubygems = Struct.new(:bundler_lib)
    Home = Struct.new(:home)

    # Created once and copied for each test, because git starts many processes.
    def self.template
      @template ||= Dir.mktmpdir("spate-test-").tap do |made|
        Minitest.after_run { FileUtils.rm_rf(made) }
        repository = GemSource::Repository.new(made)
        first = repository.commit(
          { **GemSource::Repository.gem_files("twin", "1.0", extra: EXTRA),
            **GemSource::Repository.gem_files("sub", "0.1", folder: "sub"),
            "exe/twin" => ["#!/usr/bin/env ruby\nrequire \"twin\"\nputs Twin::VERSION\n", 0o755] }
        )
        repository.git("tag", "v1")
        repository.git("branch", "stable")
        @revisions = [first, repository.commit({ "NEWS" => "second\n" })]
      end
    end

    def self.revisions = template && @revisions

    EXTRA = <<~RUBY
      spec.bindir = "exe"
        spec.executables = ["twin"]
        spec.post_install_message = "hello"
        spec.add_dependency "sub"
    RUBY

    def setup
      FileUtils.cp_r(self.class.template, File.join(folder, "twin"), preserve: true)
      @repository = GemSource::Repository.new(File.join(folder, "twin"))
      @first, @second = self.class.revisions
    end

    def test_checkout_has_the_revision_and_evaluated_gemspecs
      checkout = checkout(revision: @second)

      assert_equal File.join(bundle, "bundler/gems/twin-#{@second[0, 12]}"), checkout.path
      assert_equal %w[sub twin], checkout.gemspecs.map(&:name).sort
      twin = checkout.gemspec("twin")
      assert_equal ["1.0", "exe", ["twin"], ["sub"], "hello", checkout.path],
                   [twin.version, twin.bindir, twin.executables, twin.dependencies, twin.post_install_message,
                    twin.folder]
      text = File.read(twin.path)
      assert_match(/\A# -\*- encoding: utf-8 -\*-\n# stub: twin 1.0 ruby lib\n/, text)
      assert_includes text, "\"lib/twin/version.rb\".freeze"
      assert_equal "second\n", File.read(File.join(checkout.path, "NEWS"))
    end

    def test_existing_checkout_is_kept
      first = checkout(revision: @second)
      write_into = File.join(first.path, "lib/twin.rb")
      File.write(write_into, "# mine\n")
      FileUtils.rm_rf(@repository.folder)
      second = checkout(revision: @second)

      assert_equal [true, false], [first.made, second.made]
      assert_equal "# mine\n", File.read(write_into)
      assert_equal first.gemspecs, second.gemspecs
    end

    def test_killed_checkout_is_completed
      path = checkout(revision: @second).path
      whole = File.read(File.join(path, "twin.gemspec"))
      FileUtils.rm_rf(Dir.children(path).reject { |name| name == ".git" }.map { |name| File.join(path, name) })
      checkout(revision: @second)

      assert_equal whole, File.read(File.join(path, "twin.gemspec"))
      File.write(File.join(path, "twin.gemspec"), @repository.git("show", "HEAD:twin.gemspec"))
      assert checkout(revision: @second).made
      assert_equal whole, File.read(File.join(path, "twin.gemspec"))
    end

    def test_leftovers_of_killed_processes_are_removed
      dead = spawn("true").tap { |pid| Process.wait(pid) }
      left = write("bundle/bundler/gems/twin-#{@second[0, 12]}.#{dead}-abcdef/file", "x")
      running = write("bundle/bundler/gems/twin-#{@second[0, 12]}.#{Process.ppid}-abcdef/file", "x")
      checkout(revision: @second, glob: "none")

      assert_equal [false, true], [left, running].map { |path| File.exist?(path) }
    end

    def test_revisions_by_branch_tag_ref_and_behind_the_tip
      wanted = [{ branch: "stable" }, { tag: "v1" }, {}, { ref: @first }, { ref: @first[0, 8] }, { ref: "main~1" }]
      wanted = wanted.map { |facts| { revision: @first, **facts } } << { revision: @second, ref: "refs/heads/main" }
      found = wanted.map.with_index do |facts, number|
        checkout(bundle: "bundle#{number}", store: nil, glob: "none", **facts).path
      end

      assert_equal [@first] * 6 + [@second], found.map { |path| git(path, "rev-parse", "HEAD").strip }
      assert_equal [false] * 6 + [true], found.map { |path| File.exist?(File.join(path, "NEWS")) }
    end

    def test_a_clone_that_lacks_the_revision_fetches_it
      checkout(revision: @first, branch: "main", store: nil, glob: "none")
      third = @repository.commit({ "NEWS" => "third\n" })

      assert_equal "third\n", File.read(File.join(checkout(revision: third, branch: "main", store: nil).path, "NEWS"))
    end

    def test_another_bundle_needs_no_repository
      checkout(revision: @second)
      FileUtils.rm_rf(@repository.folder)
      again = checkout(revision: @second, bundle: "other")

      assert_path_exists File.join(again.path, "NEWS")
      assert_raises(Git::CommandFailed) { checkout(revision: @first, bundle: "third") }
    end

    def test_submodules_only_where_the_lockfile_wants_them
      inner = GemSource::Repository.new(File.join(folder, "inner")).tap do |repository|
        repository.commit({ "data" => "x\n" })
      end
      @repository.git("submodule", "add", "--quiet", inner.url, "vendored")
      revision = @repository.commit({})
      env = { "GIT_CONFIG_COUNT" => "1", "GIT_CONFIG_KEY_0" => "protocol.file.allow", "GIT_CONFIG_VALUE_0" => "always" }
      with = with_env(env) { checkout(revision: revision, submodules: true, glob: "none") }
      without = checkout(revision: revision, bundle: "other", glob: "none")

      assert_equal [["data"], []], [with, without].map { |made|
                                     Dir.children(File.join(made.path, "vendored")) - [".git"]
                                   }
    end

    def test_revision_is_not_a_path_or_option
      [nil, "", "../../../..", "--output=x", "main"].each do |revision|
        error = assert_raises(Git::RevisionMissing) { checkout(revision: revision) }
        assert_includes error.message, revision.to_s.dump
      end
      assert_equal ["twin"], Dir.children(folder)
    end

    # CVE-2021-43809: git treated such an address as an option, and ran the command in it.
    def test_address_and_branch_are_not_parsed_as_options
      program = write("payload", "#!/bin/sh\ntouch #{folder}/ran\n", mode: 0o755)
      ["-u#{program}", "--upload-pack=#{program}"].each do |uri|
        error = assert_raises(Git::CommandFailed) { checkout(uri: uri, revision: @second) }
        assert_includes error.message, "repository '#{uri}' does not exist"
      end
      assert_equal "second\n", File.read("#{checkout(revision: @second, branch: "--upload-pack=#{program}").path}/NEWS")
      refute_path_exists File.join(folder, "ran")
    end

    def test_glob_cannot_leave_the_checkout
      mine = write("mine.gemspec", "raise 'evaluated'\n")

      assert_empty checkout(revision: @second, glob: "../../../../*.gemspec").gemspecs
      assert_empty checkout(revision: @second, glob: "#{folder}/*.gemspec").gemspecs
      assert_equal "raise 'evaluated'\n", File.read(mine)
    end

    def test_glob_selects_the_gemspecs
      assert_equal ["sub"], checkout(revision: @second, glob: "*/*.gemspec").gemspecs.map(&:name)
    end

    def test_native_gems_name_their_own_folders_only
      extra = "spec.extensions = [\"ext/extconf.rb\"]\n  spec.require_paths = [\"lib\", \"more\"]\n"
      files = GemSource::Repository.gem_files("twin", "1.0", extra: extra)
      revision = @repository.commit({ **files, "ext/extconf.rb" => "" })
      twin = checkout(revision: revision).gemspec("twin")

      assert_equal [%w[lib more], ["ext/extconf.rb"], true], [twin.require_paths, twin.extensions, twin.native?]
    end

    def test_missing_revision_and_missing_repository
      error = assert_raises(Git::RevisionMissing) { checkout(revision: "0" * 40) }
      assert_equal [13, "revision #{"0" * 40} does not exist in #{@repository.url}"], [error.exit_code, error.message]
      error = assert_raises(Git::CommandFailed) { checkout(uri: "file://#{folder}/nothing", revision: @second) }
      assert_match(/does not (appear to be a git repository|exist)/, error.message + error.details.join)
      assert_empty Dir.glob("#{folder}/**/*.#{Process.pid}-*")
    end

    def test_a_broken_gemspec_is_named
      revision = @repository.commit({ "twin.gemspec" => "raise \"no version\"\n" })
      error = assert_raises(Git::UnusableGemspec) { checkout(revision: revision) }

      assert_match(/twin.gemspec cannot be used: .*no version/m, [error.message, *error.details].join("\n"))
    end

    def test_local_uses_what_is_on_the_machine
      assert_raises(Git::NotLocal) { checkout(revision: @second, local: true) }
      checkout(revision: @second)

      assert checkout(revision: @second, local: true, bundle: "other").made
    end

    def test_vendor_cache_comes_first
      source = Lockfile::GitSource.new(uri: @repository.url, revision: @second)
      cached = File.join(folder, "vendor/cache/twin-#{@second[0, 12]}")
      FileUtils.mkdir_p(File.dirname(cached))
      FileUtils.cp_r(@repository.folder, cached)
      FileUtils.rm_rf(@repository.folder)
      made = Git.checkout(source, store: nil, layout: layout("bundle"), local: true,
                                  vendor: Registry::Vendor.new(File.join(folder, "vendor/cache")))

      assert_path_exists File.join(made.path, "NEWS")
      assert_equal %w[sub twin], made.gemspecs.map(&:name).sort
    end

    def test_a_hooks_environment_does_not_reach_git
      env = { "GIT_DIR" => File.join(folder, "nowhere"), "GIT_INDEX_FILE" => File.join(folder, "index") }
      with_env(env) { checkout(revision: @second, glob: "none") }

      refute_path_exists File.join(folder, "index")
    end

    def test_credentials_reach_the_host_but_no_file_and_no_message
      source = GemSource.start(userinfo: "me:s3cret")
      settings = Settings.load(root: folder,
                               env: { "BUNDLE_LOCALHOST" => "me:s3cret",
                                      "BUNDLE_RETRY" => "0", "HOME" => folder })
      error = assert_raises(Git::Error) do
        checkout(uri: "#{source.url}twin.git", revision: @second, settings: settings)
      end

      assert_equal "me:s3cret", source.requests.last.userinfo
      refute_includes [error.message, error.hint, *error.details].join, "s3cret"
    ensure
      source&.stop
    end

    def test_origin_equals_that_of_the_machines_bundler
      { "# a Bundler up to 3\n" => %r{/cache/bundler/git/}, %(git "remote", "set-url", "origin"\n) => /\Afile:/ }
        .each_with_index do |(proxy, origin), number|
          write("bundler/bundler/source/git/git_proxy.rb", proxy)
          path = checkout(bundle: "bundle#{number}", revision: @second).path
          assert_match origin, git(path, "remote", "get-url", "origin")
        end
    end

    private

    def bundle(name = "bundle") = File.join(folder, name)

    def layout(name)
      Layout.new(File.join(bundle(name), "bundler/gems"), File.join(bundle(name), "cache/bundler/git"),
                 Rubygems.new(File.join(folder, "bundler")))
    end

    def checkout(uri: @repository.url, bundle: "bundle", settings: {}, local: false, store: Home.new(File.join(folder,
                                                                                                               "home")),
                 **facts)
      Git.checkout(Lockfile::GitSource.new(uri: uri, **facts), store: store, layout: layout(bundle), settings: settings,
                                                               local: local)
    end

    def git(path, *arguments) = IO.popen(["git", "-C", path, *arguments], &:read)

    def with_env(variables)
      before = variables.to_h { |name, _| [name, ENV.fetch(name, nil)] }
      ENV.update(variables)
      yield
    ensure
      ENV.update(before)
    end
  end
end
