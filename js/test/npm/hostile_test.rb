# frozen_string_literal: true

require_relative "case"
require "timeout"

module Spate
  # The plan of a malicious lockfile stays inside the project, or the lockfile is rejected.
  class NpmHostileTest < NpmCase
    CLIMBING = ["../evil", "node_modules/../../evil", "node_modules/..", "node_modules/a/node_modules/../../../x",
                "node_modules/@s/../../x", "/etc/evil", "/node_modules/a", "node_modules//a", "node_modules/a/",
                "node_modules/.", "node_modules/.bin", "node_modules/.bin/a", "node_modules/.package-lock.json",
                "node_modules/@/a", "node_modules/@s", "node_modules/@s/.hidden", "node_modules/a\0b",
                "node_modules/a\\..\\b", "node_modules/C:", "node_modules/a/b", "packages/../../x", "./x",
                "packages//a", "node_modules", "x/node_modules", "node_modules/node_modules", "a/./b",
                "node_modules/a/node_modules", "node_modules/#{"a" * 300}", "x/node_modules/../../y", "../../x/",
                "../x/../../y", "..", "../..", "node_modules/ a", "node_modules/a\nb"].freeze

    def test_keys_outside_node_modules_are_refused_or_ignored
      CLIMBING.each do |key|
        write({ "dependencies" => { "ok" => "1" } }, { "node_modules/ok" => entry, key => entry })
        begin
          assert_equal ["node_modules/ok"], paths, key.inspect
        rescue JS::LockfileError => e
          assert_includes e.message, "package-lock.json", key.inspect
        end
      end
    end

    def test_most_invalid_lockfiles_are_refused
      taken = CLIMBING.reject do |key|
        write({}, { key => entry })
        plan && false
      rescue JS::UnsafePathError, JS::UnsafeNameError
        true
      end

      # Targets of links may be outside of the project, but nothing is placed there.
      assert_equal %w[../evil .. ../..], taken
    end

    def test_a_link_to_a_target_outside
      ["../outside", "/etc", "node_modules/../../x", "..", "../..", "packages/../../x"].each do |target|
        write({ "dependencies" => { "a" => "1" } },
              { "node_modules/a" => { "resolved" => target, "link" => true }, target => { "version" => "1.0.0" } })

        assert_raises(JS::UnsafePathError, JS::UnsafeNameError, target) { plan }
      end
    end

    def test_a_link_without_a_target_or_to_a_link
      link = ->(to) { { "resolved" => to, "link" => true } }
      [{ "node_modules/a" => link["nowhere"] }, { "node_modules/a" => link[nil] }, { "node_modules/a" => link[5] },
       { "node_modules/a" => link["node_modules/b"], "node_modules/b" => link["node_modules/a"] },
       { "node_modules/a" => link["node_modules/a"] }, { "folder" => link["x"], "x" => {} }].each do |packages|
        write({}, packages)

        assert_raises(JS::LockfileError, packages.inspect) { plan }
      end
    end

    def test_places_nothing_through_a_link
      write({ "workspaces" => ["w"], "dependencies" => { "a" => "1" } },
            { "node_modules/w" => { "resolved" => "w", "link" => true }, "w" => { "version" => "1.0.0" },
              "node_modules/w/node_modules/a" => entry, "node_modules/a" => entry })
      write_json("w/package.json", "name" => "w")

      assert_equal ["node_modules/a"], paths
    end

    def test_names_that_are_paths
      ["../../evil", "/etc/passwd", "..", "a/b/c", "@s/../x", ".bin", "node_modules", "", "a\0b", 5,
       ["a"]].each do |name|
        write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry.merge("name" => name) })

        assert_raises(JS::LockfileError, name.inspect) { plan }
      end
    end

    def test_bins_stay_in_their_folder_and_package
      bins = { "../../../evil" => "../../../etc/passwd", ".." => "x", "a/../../b" => "/etc/shadow", "." => "x",
               "/abs" => "./g/../h.js", "c:\\d" => "e\\..\\..\\f", "" => "x", "z\0" => "x", "n" => 5, "o" => "",
               "__proto__" => "p.js", "up" => "..", "dots" => "..." }
      write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry(bin: bins) })

      folder = plan.bins.first
      folder.style.entries(folder).each do |path, link|
        assert_match(%r{\Anode_modules/\.bin/[^/]+\z}, path)
        refute_includes %w[. ..], File.basename(path)
        assert_equal "node_modules/a/", File.expand_path(link.target, "/node_modules/.bin")[1..][0, 15], link.target
      end
      assert_equal %w[__proto__ abs b d dots evil],
                   folder.style.entries(folder).keys.map { |path| File.basename(path) }.sort
    end

    def test_unsupported_archive_addresses_are_left_to_npm
      ["file:../x.tgz", "file:/etc/x.tgz", "file:a/../../x.tgz", "file:x", "git+ssh://git@localhost/x.git#abc",
       "ssh://localhost/x.tgz", "git://localhost/x", "github:a/b", "ftp://localhost/a.tgz", "javascript:x", "x.tgz",
       "https://localhost/a.git"].each do |address|
        write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry(resolved: address) })

        assert_raises(JS::LeftToTool, address) { plan }
      end
    end

    def test_invalid_integrity
      ["md5-AAAA", "sha512-short", "x", "sha512-", "sha1-zzz"].each do |integrity|
        write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry.merge("integrity" => integrity) })

        assert_match(/node_modules.a: unsupported integrity/, assert_raises(JS::LockfileError) { plan }.message)
      end
    end

    def test_values_of_invalid_types
      odd = [5, "text", ["a"], true, { "a" => 1 }, { "a" => nil }, [[]], 1e300, { "a" => { "b" => {} } }]
      fields = %w[version resolved integrity name link inBundle optional dev peer os cpu libc engines bin dependencies
                  optionalDependencies peerDependencies peerDependenciesMeta bundleDependencies hasInstallScript funding
                  license hasShrinkwrap extraneous workspaces]
      fields.product(odd).each do |field, value|
        write({ "dependencies" => { "a" => "1" } },
              { "node_modules/a" => entry(dependencies: { "a" => "1" }).merge(field => value) })
        plan.state.files(Happened.new({}, [], @root))
      rescue Spate::Error
        next
      end
    end

    def test_package_json_of_an_invalid_type
      fields = %w[dependencies devDependencies optionalDependencies peerDependencies peerDependenciesMeta overrides
                  workspaces bin bundleDependencies bundledDependencies scripts name version funding license]
      fields.product([5, "text", ["a"], true, nil, { "a" => 1 }, { "a" => { "b" => 1 } }, [5]]).each do |field, value|
        write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry })
        write_json("package.json", { "dependencies" => { "a" => "1" } }.merge(field => value))
        plan.state.files(Happened.new({}, [], @root))
      rescue Spate::Error
        next
      end
    end

    def test_lockfile_of_an_invalid_type
      ["", "null", "5", "[]", "\"a\"", "{", "{}", "{\"lockfileVersion\":3}", "{\"lockfileVersion\":3,\"packages\":[]}",
       "{\"lockfileVersion\":3,\"packages\":{\"node_modules/a\":5}}", "\xFF{}", "\xEF\xBB\xBF{", ("[" * 100_000).to_s,
       "{\"lockfileVersion\":3,\"packages\":#{"{\"a\":" * 200}1#{"}" * 200}}", "<<<<<<< HEAD\n{}\n=======\n",
       "{\"lockfileVersion\":1e400}", "{\"lockfileVersion\":\"3\",\"packages\":{}}",
       "{\"lockfileVersion\":99999999999999999999,\"packages\":{}}", "{\"lockfileVersion\":NaN}"].each do |text|
        write
        File.binwrite("#{@root}/package-lock.json", text)
        error = assert_raises(Spate::Error, text[0, 40].inspect) { plan }

        assert_operator error.message.bytesize, :<, 400
      end
    end

    def test_names_that_differ_in_case_only
      write({ "dependencies" => { "a" => "1", "A" => "1" } },
            { "node_modules/a" => entry, "node_modules/A" => entry("2.0.0") })

      assert_match(/node_modules.A and node_modules.a/, assert_raises(JS::LockfileError) { plan }.message)
    end

    def test_prototypes
      names = %w[__proto__ constructor toString hasOwnProperty]
      write({ "dependencies" => names.to_h { |name| [name, "1"] } }, names.to_h do |name|
                                                                       ["node_modules/#{name}", entry]
                                                                     end)

      assert_equal names.map { |name| "node_modules/#{name}" }, paths
    end

    def test_last_duplicate_key_wins
      write({ "dependencies" => { "a" => "1" } }, {})
      text = File.read("#{@root}/package-lock.json").sub("\"packages\": {", "\"packages\": {\"node_modules/a\":" \
             "#{JSON.generate(entry)},\"node_modules/a\":#{JSON.generate(entry("1.5.0"))},")
      File.write("#{@root}/package-lock.json", text)

      assert_equal ["1.5.0"], plan.trees.map { |tree| tree.package.version }
    end

    def test_cycles_and_deep_nesting
      circle = Array.new(300) do |index|
        ["node_modules/c#{index}", entry(dependencies: { "c#{(index + 1) % 300}" => "1" }, optional: true)]
      end
      nested = Array.new(100) { |index| [Array.new(index + 1) { |level| "node_modules/n#{level}" }.join("/"), entry] }
      deep = { "peerDependencies" => nested.to_h { |path, _| [path[/n\d+\z/], "*"] } }
      deep["peerDependenciesMeta"] = deep["peerDependencies"].transform_values { { "optional" => true } }
      nested[...-1].each_with_index { |(_, one), index| one["dependencies"] = { "n#{index + 1}" => "*" } }
      write({ "optionalDependencies" => { "c0" => "1" }, "dependencies" => { "n0" => "1" } },
            (circle + nested.map { |path, one| [path, one.merge(deep)] }).to_h)

      assert_equal 400, paths.size
      circle[0][1]["os"] = ["nowhere"]
      write({ "optionalDependencies" => { "c0" => "1" } }, circle.to_h)

      assert_empty paths
    end

    # 2,000 optional packages for another system and one package for this machine depend on the same 2,000 packages,
    # which form a cycle.
    def test_many_optional_packages_of_another_system
      chain = Array.new(2000) do |at|
        ["node_modules/t#{at}", entry(dependencies: { "t#{(at + 1) % 2000}" => "*" })]
      end.to_h
      others = Array.new(2000) do |at|
        ["node_modules/x#{at}", entry(os: ["nowhere"], optional: true, dependencies: { "t0" => "*" })]
      end.to_h
      write({ "optionalDependencies" => others.to_h { |path, _| [path[/x\d+/], "*"] },
              "dependencies" => { "keep" => "*" } },
            others.merge(chain, "node_modules/keep" => entry(dependencies: { "t0" => "*" })))

      assert_equal 2001, Timeout.timeout(20) { paths.size }
    end

    def test_lockfile_of_fifty_megabytes
      write({ "dependencies" => { "p0" => "*" } }, many(60_000))
      size = File.size("#{@root}/package-lock.json")
      assert_operator size, :>, 50 << 20

      before = GC.stat(:total_allocated_objects)
      made = plan

      assert_equal 60_000, made.trees.size
      assert_operator GC.stat(:total_allocated_objects) - before, :<, 60_000 * 130
    end

    def test_files_that_are_too_large_to_read
      configuration = -> { JS::Configuration.load(root: @root, env: { "HOME" => @root, "PATH" => "" })["registry"] }
      { "package-lock.json" => -> { plan }, "package.json" => -> { plan }, ".npmrc" => configuration }
        .each do |name, reads|
        write
        File.open("#{@root}/#{name}", "a") { |file| file.truncate(1 << 40) }
        error = assert_raises(JS::LockfileError, name) { reads.call }

        assert_match(/#{name}: expected at most 64 MB, found 1048576/, error.message)
      end
    end

    private

    # Packages that depend on ten others each.
    def many(count)
      Array.new(count) do |index|
        needs = Array.new(10) { |one| ["p#{((index * 7) + one + 1) % count}", "^1.0.0"] }.to_h
        ["node_modules/p#{index}", entry("1.0.#{index}", dependencies: needs, license: "x" * 380)]
      end.to_h
    end
  end
end
