# frozen_string_literal: true

require_relative "case"

module Spate
  # Projects that use features unknown to Spate are left to npm. Some features depend on npm's version.
  class NpmLeftTest < NpmCase
    def test_features_that_change_packages_are_left_to_npm
      given = { "packageExtensions" => { "a@1" => {} }, "patchedDependencies" => { "a@1.0.0" => "a.patch" } }
      given.each do |field, value|
        write({ field => value })
        assert_left field
      end
      write
      File.write("#{@root}/.npm-extension.cjs", "")
      assert_left ".npm-extension.cjs"
    end

    def test_settings
      write
      @settings["install-links"] = true

      assert_equal ["install-links"], left("12.2.0")
      assert_equal ["install-links"], left("11.1.0")
    end

    def test_lockfiles_without_paths
      write({}, lock: { "lockfileVersion" => 1 })

      assert_match(/\Aa lockfile of version 1, which has no paths of packages; `npm install`/, left("12.0.1").first)
      write_json("package-lock.json", { "lockfileVersion" => 2, "dependencies" => {} })

      assert_equal ["a lockfile of version 2 without `packages`"], left("12.0.1")
      write_json("package-lock.json", { "lockfileVersion" => 3 })

      assert_raises(JS::LockfileError) { left("12.0.1") }
    end

    def test_newer_npm_ignores_npm_shrinkwrap_json
      write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry("1.0.0") })
      FileUtils.cp("#{@root}/package-lock.json", "#{@root}/npm-shrinkwrap.json")
      write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry("1.2.0") })

      assert_equal %w[1.0.0 1.2.0], %w[11.9.0 12.0.1].map { |npm| shrinkwrapped(npm).trees.first.package.version }
      File.delete("#{@root}/package-lock.json")
      error = assert_raises(JS::LockfileError) { shrinkwrapped("12.0.1") }

      assert_match(/expected a package-lock.json, the only lockfile that npm 12.0.1 reads/, error.message)
    end

    private

    def assert_left(what)
      assert_equal [what], left("12.0.1")
      assert_equal [what], left(nil)
      assert_nil left("11.9.0")
    end

    def left(npm)
      path(npm)
      plan
      nil
    rescue JS::LeftToTool => e
      e.reasons
    end

    def shrinkwrapped(npm)
      path(npm)
      JS::Npm.plan(ProjectAt.new(@root, "#{@root}/npm-shrinkwrap.json"), @settings, Given.new([]))
    end

    # Sets PATH to a folder with an npm of this version; nil: without npm.
    def path(npm)
      FileUtils.mkdir_p("#{@root}/npm/bin")
      File.write("#{@root}/npm/bin/npm", "", perm: 0o755)
      File.write("#{@root}/npm/package.json", JSON.pretty_generate("name" => "npm", "version" => npm), perm: 0o644)
      @settings.env["PATH"] = npm ? "#{@root}/npm/bin" : "/nonexistent"
    end
  end
end
