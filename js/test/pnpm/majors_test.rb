# frozen_string_literal: true

require_relative "majors_case"

module Spate
  # Restores follow rules that differ between pnpm's majors: owners of executables, and formats of patches and
  # lockfiles.
  class PnpmMajorsTest < PnpmMajorsCase
    # Adds packages with these executables. Each prints the name of its package. owners: { package => [executable] }.
    def claim(owners)
      owners.each do |name, bins|
        @registry.add(name, "1.0.0", files: { "x" => ["#!/bin/sh\necho #{name}\n", 0o755] },
                                     bin: bins.to_h { |bin| [bin, "x"] })
      end
      dependencies = owners.keys.to_h { |name| [name, "1.0.0"] }
      lambda { |*|
        put("package.json", { name: "root", private: true, dependencies: dependencies })
        put("pnpm-workspace.yaml", "{}\n")
      }
    end

    def owners
      Dir.children("#{@root}/node_modules/.bin").sort.to_h do |name|
        [name, Open3.capture2("#{@root}/node_modules/.bin/#{name}").first.strip]
      end
    end

    def assert_same_owners(packages)
      found = Hash.new { |all, major| all[major] = [] }
      assert_as_each_pnpm(after: ->(major) { found[major] << owners }, &claim(packages))
      found.each { |major, (theirs, ours)| assert_equal theirs, ours, "pnpm #{major}" }
    end

    def test_names_of_executables_that_several_packages_have
      assert_same_owners("npm" => %w[npm npx], "npx" => %w[npx], "aa" => %w[both last pnx], "zz" => %w[both pn],
                         "@s/both" => %w[both], "pnpm" => %w[pnpm pn pnpx pnx], "@pnpm/exe" => %w[pnpm pn pnx],
                         "last" => %w[x-y], "last-x" => %w[x-y], "lasty" => %w[x-y])
    end

    TEXT = "one\ntwo\nthree\n"
    PATCH = <<~DIFF
      diff --git a/a.js b/a.js
      index 1..2 100644
      --- a/a.js
      +++ b/a.js
      @@ -1,3 +1,4 @@
       one
      -two
      +2
      +more
       three
      diff --git a/new.js b/new.js
      new file mode 100644
      index 0..1
      --- /dev/null
      +++ b/new.js
      @@ -0,0 +1,2 @@
      +1
      +2
    DIFF

    # Texts and patches, each with and without carriage returns: { name of the package => [text, patch] }
    def variants
      lines = PATCH.gsub(/^([ +-](?![+-]).*)$/, "\\1\r")
      { "@scope/whole" => [TEXT, PATCH.gsub("\n", "\r\n")], "lines" => [TEXT, lines],
        "plain" => [TEXT.gsub("\n", "\r\n"), PATCH], "both" => [TEXT.gsub("\n", "\r\n"), lines] }
    end

    # Creates a project with patches. pnpm 10 reads them from package.json, later versions from pnpm-workspace.yaml.
    def patched(packages)
      files = packages.to_h { |name, (_, patch)| [put("patches/#{File.basename(name)}.patch", patch), name] }
      patches = files.to_h { |path, name| ["#{name}@1.0.0", path.delete_prefix("#{@root}/")] }
      put("package.json", { name: "root", private: true, dependencies: packages.transform_values { "1.0.0" } })
      put("pnpm-workspace.yaml", { patchedDependencies: patches })
    end

    # The digest of a patch is the same with and without carriage returns.
    def test_carriage_returns_in_patches
      variants.each { |name, (text, _)| @registry.add(name, "1.0.0", files: { "a.js" => text }) }
      written = {}
      after = ->(major) { written[major] = %w[@scope/whole lines].map { |name| read("node_modules/#{name}/a.js") } }
      assert_as_each_pnpm(after: after) { patched(variants) }

      assert_equal [["one\n2\r\nmore\r\nthree\n"] * 2], written.values.uniq
    end

    # pnpm 10 requires a patch's path in the lockfile. Later versions write only a digest, and read both.
    def test_the_lockfile_of_another_major
      @registry.add("@scope/whole", "1.0.0", files: { "a.js" => TEXT })
      texts = {}
      PnpmMajors.each do |major, path|
        at(major, path)
        patched("@scope/whole" => [TEXT, PATCH])
        pnpm("install", "--lockfile-only", "--ignore-scripts")
        texts[major] = read("pnpm-lock.yaml")
      end
      refute_equal texts[10], texts[11]
      PnpmMajors.each do |major, path|
        at(major, path)
        texts.each { |other, text| assert_reads_as_pnpm(text, "pnpm #{major}, lockfile of #{other}") }
      end
    end

    def assert_reads_as_pnpm(text, message)
      put("pnpm-lock.yaml", text)
      takes = frozen?
      expected = snapshot if takes
      FileUtils.rm_rf("#{@root}/node_modules")
      return assert_raises(JS::DisagreementError, message) { restore } unless takes

      restore
      assert_empty NodeModulesComparison.differences(expected, snapshot), message
    end

    # Whether pnpm installs the lockfile unchanged.
    def frozen?
      _, status = Open3.capture2e(@env, "pnpm", "install", "--frozen-lockfile", chdir: @root, unsetenv_others: true)
      status.success?
    end
  end
end
