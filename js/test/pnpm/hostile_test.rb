# frozen_string_literal: true

require_relative "pnpm_case"

module Spate
  # Malicious or invalid lockfiles and settings. Spate must make a plan, or raise an error that describes the problem.
  # lockfile_test.rb tests path traversal.
  class PnpmHostileTest < PnpmCase
    ODD = [5, "text", ["a"], true, { "a" => 1 }, { "a" => nil }, [[]], { "a" => { "b" => {} } }, nil, "", 1e300].freeze
    TOP = %w[lockfileVersion settings catalogs overrides packageExtensionsChecksum pnpmfileChecksum patchedDependencies
             importers packages snapshots ignoredOptionalDependencies time].freeze
    PACKAGE = %w[resolution engines cpu os libc deprecated hasBin peerDependencies peerDependenciesMeta version name
                 bundledDependencies requiresBuild patched].freeze
    RESOLUTION = %w[integrity tarball type path gitHosted].freeze
    SNAPSHOT = %w[dependencies optionalDependencies transitivePeerDependencies optional].freeze
    IMPORTER = %w[dependencies devDependencies optionalDependencies dependenciesMeta publishDirectory specifiers].freeze
    MANIFEST = %w[dependencies devDependencies optionalDependencies peerDependencies overrides pnpm workspaces name
                  version bin engines dependenciesMeta resolutions scripts packageManager devEngines].freeze

    # Invalid or unusual contents of a lockfile.
    TEXTS = ["", "null", "5", "[]", "\"a\"", "{", "{}", "lockfileVersion: '9.0'\nimporters: &a {}\npackages: *a",
             "\xFF{}", "\xEF\xBB\xBF{", "[" * 100_000, "<<<<<<< HEAD\n{}\n=======\n", "? [a]\n: b",
             "a: !ruby/object:Object {}", "---\n---\n---\n", "\0", "a: 1\na: 2\n", "x:\n" * 1000].freeze

    # Makes a plan and its files. Every problem must raise a Spate::Error.
    def attempt
      made = plan
      made.state.files(outcome)
      made.bins.each { |folder| folder.style.entries(folder, {}) }
    rescue Spate::Error => e
      assert_operator e.message.bytesize, :<, 500
    end

    def simple(**more) = project({ "a" => "1.0.0" }, { "a@1.0.0" => {} }, **more)

    # Yields the lockfile's data, and writes it back.
    def rewrite
      data = JSON.parse(File.read("#{@root}/pnpm-lock.yaml"))
      yield data
      write("pnpm-lock.yaml", data)
    end

    def test_values_of_invalid_types_in_a_lockfile
      (TOP.map { |key| [nil, key] } + IMPORTER.map { |key| ["importers", key] }).product(ODD) do |(place, key), value|
        simple
        rewrite { |data| (place ? data.dig(place, ".") : data)[key] = value }
        attempt
      end
    end

    def test_values_of_invalid_types_in_a_package
      PACKAGE.product(ODD) do |key, value|
        project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } },
                                      "b@1.0.0" => { "optional" => true } },
                packages: { "b@1.0.0" => entry("b@1.0.0", key => value) })
        attempt
      end
      RESOLUTION.product(ODD) do |key, value|
        simple(packages: { "a@1.0.0" => { "resolution" => { key => value } } })
        attempt
      end
      SNAPSHOT.product(ODD) do |key, value|
        project({ "a" => "1.0.0" }, { "a@1.0.0" => { key => value } })
        attempt
      end
    end

    def test_values_of_invalid_types_in_settings_and_package_json
      MANIFEST.product(ODD) do |key, value|
        simple(package: { key => value })
        attempt
      end
      simple
      JS::Pnpm::Settings::DEFAULTS.keys.product(ODD) do |key, value|
        write("pnpm-workspace.yaml", { key => value })
        attempt
      end
    end

    def test_setting_of_an_invalid_type_is_reported
      simple
      write("pnpm-workspace.yaml", { "modulesDir" => [] })

      assert_match(/modulesDir: expected a string, found/, assert_raises(JS::LockfileError) { plan }.message)
    end

    # pnpm itself checks the types of these values.
    def test_a_setting_of_a_type_that_pnpm_rejects_is_left_to_pnpm
      simple
      { "storeDir" => {}, "ignoredOptionalDependencies" => [[]] }.each do |name, value|
        write("pnpm-workspace.yaml", { name => value })

        assert_includes assert_raises(JS::LeftToTool) { plan }.message, "own tool: #{name}: #{value}"
      end
    end

    # All packages form one chain. Recursion along the chain would overflow the stack.
    def test_lockfile_of_fifty_megabytes
      keys = Array.new(150_000) { |at| "a-package-with-a-quite-long-name-#{at}@1.0.0" }
      needs = keys.zip(keys.drop(1)).to_h.transform_values do |child|
        child ? { "dependencies" => { "x" => child } } : {}
      end
      project({ "a-package-with-a-quite-long-name-0" => "1.0.0" }, needs)
      assert_operator File.size("#{@root}/pnpm-lock.yaml"), :>, 50 << 20

      before = GC.stat(:total_allocated_objects)
      made = plan

      assert_equal 150_000, made.trees.size
      assert_operator GC.stat(:total_allocated_objects) - before, :<, 150_000 * 130
    end

    def test_more_than_sixty_four_megabytes_is_refused
      simple
      File.open("#{@root}/pnpm-lock.yaml", "a") { |file| file.truncate(65 << 20) }

      assert_match(/expected at most 64 MB, found 65/, assert_raises(JS::LockfileError) { plan }.message)
    end

    def test_lockfile_of_an_invalid_type
      TEXTS.each do |text|
        simple
        File.binwrite("#{@root}/pnpm-lock.yaml", text)
        assert_raises(Spate::Error, text[0, 20]) { plan }
        attempt
      end
    end
  end
end
