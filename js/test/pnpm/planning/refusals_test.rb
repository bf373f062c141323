# frozen_string_literal: true

require_relative "../majors_case"

module Spate
  # Spate accepts and rejects the same lockfiles and package.json files as a frozen install by each pnpm major.
  class PnpmRefusalsTest < PnpmMajorsCase
    BINARY = "@pnpm/exe.linux-x64"

    def teardown
      @other&.stop
      super
    end

    def test_another_tool_in_package_json
      each_project do |major|
        assert_same({ "packageManager" => "npm@11.0.0" })
        assert_same({ "packageManager" => "hello" })
        assert_same(engines("npm"))
        assert_same(engines("pnpm").merge("packageManager" => "npm@11.0.0"), spate: major > 10)
        assert_same(engines("npm", "onFail" => "warn"), spate: true)
      end
    end

    # pnpm 12 records its version in the lockfile, and rejects a frozen lockfile without it.
    def test_a_pnpm_that_the_lockfile_does_not_record
      each_project do |major|
        publish_pnpm(own = pnpm("--version").strip)
        pinned = { "packageManager" => "pnpm@#{own}" }
        assert_same(pinned, spate: major < 12)
        next if major < 11

        before = read("pnpm-lock.yaml")
        assert_same(engines("pnpm", "version" => "^#{major}"))
        assert_equal before, read("pnpm-lock.yaml"), "asking pnpm for its version changed the lockfile"
        assert_same(engines("pnpm", "version" => "^#{major}", "onFail" => "ignore"), spate: true)
        assert_same(engines("pnpm"), spate: true)
      end
    end

    def test_a_pnpm_that_the_lockfile_records
      each_project do |major|
        next if major < 12

        publish_pnpm(own = pnpm("--version").strip)
        manifest("packageManager" => "pnpm@#{own}")
        pnpm("install", "--lockfile-only")
        assert_match(/\A---\n.*packageManagerDependencies/m, read("pnpm-lock.yaml"))
        assert_same({ "packageManager" => "pnpm@#{own}" }, spate: true)
        assert_same(engines("pnpm", "version" => "^12"), spate: true)
        assert_same({}, spate: true)
        put("pnpm-lock.yaml", read("pnpm-lock.yaml").gsub(own, "12.0.1"))
        assert_same({ "packageManager" => "pnpm@#{own}" })
      end
    end

    def test_addresses_and_digests_of_archives
      @other = NpmRegistry.start
      @other.add("one", "1.0.0", files: { "index.js" => "1\n" })
      each_project do |major|
        { { integrity: ours, tarball: @registry.resolved("one", "1.0.0") } => true,
          { integrity: ours, tarball: @other.resolved("one", "1.0.0") } => major < 11,
          { integrity: @registry.integrity("two", "1.0.0"), tarball: @registry.resolved("two", "1.0.0") } => major < 11,
          { tarball: @registry.resolved("one", "1.0.0") } => false }.each do |resolution, native|
          resolve(resolution)
          assert_same({}, spate: native)
          # Skipped with two's digest: whether pnpm then installs depends on its store.
          next if native || resolution[:integrity] != ours

          put("pnpm-workspace.yaml", "trustLockfile: true\n")
          assert_same({}, spate: true)
          put("pnpm-workspace.yaml", "packages: []\n")
        end
      end
    end

    # A registry may have archives at unusual addresses. From pnpm 11 on, the registry's document must contain the
    # address; the store keeps the result of this check.
    def test_registry_with_unusual_addresses
      each_project do |major|
        other = "#{@registry.url(host: "127.0.0.1")}one/-/one-1.0.0.tgz"
        resolve({ integrity: ours, tarball: other })
        assert_same({}, spate: major < 11)
        next if major < 11

        @registry.address("one", "1.0.0", other)
        assert_same({}, spate: true)
        count = @registry.requests.size
        forget_modules
        restore(restore: :all)

        assert_equal count, @registry.requests.size
        @registry.address("one", "1.0.0", nil)
      end
    end

    # The setting is only used when pnpm resolves.
    def test_exotic_subdependencies
      @other = NpmRegistry.start
      @other.add("far", "1.0.0")
      @registry.add("near", "1.0.0", dependencies: { "far" => @other.resolved("far", "1.0.0") })
      each_project("near") { assert_same({}, yaml: "blockExoticSubdeps: true\n", spate: true) }
    end

    def test_a_package_that_lost_its_provenance
      attested = { "attestations" => { "provenance" => { "predicateType" => "https://slsa.dev/provenance/v1" } } }
      @registry.add("lost", "1.0.0", dist: attested)
      @registry.add("lost", "1.1.0")
      @registry.date("lost", "1.1.0", "2021-01-01T00:00:00.000Z")
      each_project("lost", "1.1.0") do |major|
        refused = assert_same({}, yaml: "trustPolicy: no-downgrade\n")
        assert_equal major > 10, refused, "pnpm #{major}"
        assert_same({}, yaml: "trustPolicy: 'off'\n", spate: true)
      end
    end

    private

    # Yields each pnpm major, with a lockfile that it wrote.
    def each_project(name = "one", version = "1.0.0")
      PnpmMajors.each do |major, path|
        at(major, path)
        @dependency = { name => version }
        put("pnpm-workspace.yaml", "blockExoticSubdeps: false\n")
        manifest
        pnpm("install", "--lockfile-only")
        put("pnpm-workspace.yaml", "packages: []\n")
        yield major
      end
    end

    def manifest(more = {}) = put("package.json", { "name" => "app", "dependencies" => @dependency }.merge(more))
    def ours = @registry.integrity("one", "1.0.0")

    def engines(name, more = {}) = { "devEngines" => { "packageManager" => { "name" => name }.merge(more) } }

    def resolve(resolution)
      fields = resolution.map { |key, value| "#{key}: #{value}" }.join(", ")
      put("pnpm-lock.yaml", read("pnpm-lock.yaml").sub(/resolution: \{.*\}/, "resolution: {#{fields}}"))
    end

    def publish_pnpm(version)
      @registry.add("pnpm", version, optionalDependencies: { BINARY => version })
      [BINARY, "@pnpm/exe"].each { |name| @registry.add(name, version) }
    end

    # Asserts that pnpm and Spate both succeed or both fail. spate: whether Spate must restore without pnpm. Returns
    # whether they failed.
    def assert_same(package, spate: false, yaml: nil)
      manifest(package)
      put("pnpm-workspace.yaml", yaml) if yaml
      output, status = Open3.capture2e(@env, "pnpm", "install", "--frozen-lockfile", chdir: forget,
                                                                                     unsetenv_others: true)
      forget
      report = begin
        restore
      rescue Error => e
        e
      end
      told = [@env["PATH"][/pnpm-[^:]*/], package, yaml, output, report.inspect].join("\n")

      assert_equal status.success?, report.is_a?(JS::Restore::Report), told
      assert_equal spate, report.is_a?(JS::Restore::Report) && report.handed_over.nil?, told
      !status.success?
    end

    def forget_modules = FileUtils.rm_rf("#{@root}/node_modules")

    # Removes node_modules and all caches. Returns the root.
    def forget
      forget_modules
      FileUtils.rm_rf(%w[cache data state].map { |name| "#{@env["HOME"]}/#{name}" } << @env["SPATE_HOME"])
      @root
    end
  end
end
