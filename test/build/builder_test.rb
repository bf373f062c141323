# frozen_string_literal: true

require_relative "build_case"
require "support/test_disk"

module Spate
  # A build leaves the same files as `gem install`, and is stored and reused with equal inputs. Uses the real compiler.
  class BuilderTest < BuildCase
    # Files that also differ between two runs of RubyGems: compiled files, and logs with paths.
    UNSTABLE = /\.(?:so|o)\z|gem_make\.out\z|mkmf\.log\z|Makefile\z/

    def test_build_creates_the_same_files_as_gem_install
      more = { "ext/alpha/more.c" => "int more(void) { return 1; }\n" }
      archive = native_gem("alpha", { **more, "ext/alpha/extconf.rb" => <<~RUBY })
        require "mkmf"
        have_header("stdio.h")
        create_header
        create_makefile("alpha/alpha")
      RUBY
      assert_same_as_gem_install(archive, "alpha-1.0")
    end

    def test_a_crate_is_built_by_cargo
      skip "no cargo on this machine" unless system("cargo --version", %i[out err] => File::NULL)

      package = "[package]\nname = \"crate\"\nversion = \"1.0.0\"\n"
      files = { "Cargo.toml" => "#{package}[lib]\ncrate-type = [\"cdylib\"]\n",
                "Cargo.lock" => "version = 3\n[#{package.sub("]", "]]")}",
                "src/lib.rs" => "#[no_mangle]\npub extern \"C\" fn Init_crate() {}\n" }
      archive = native_gem("crate", files, extensions: ["Cargo.toml"])
      result = build(builder, archive)
      library = "gems/crate-1.0/lib/crate.so"

      assert_includes result.manifest.paths, library
      assert_nil Build::Cache::Record.parse(result.manifest.facts).root, "it serves any bundle"
      run_ruby("-e", "require '#{layout.root}/#{library}'")
    end

    def test_rakefiles_and_configure_scripts_are_built_too
      rake = native_gem("raked", { "Rakefile" => <<~RUBY }, extensions: ["Rakefile"])
        task(:default) { mkdir_p ENV["RUBYARCHDIR"]; File.write(File.join(ENV["RUBYARCHDIR"], "raked.txt"), "made") }
      RUBY
      configure = native_gem("configured", { "ext/configure" => <<~SH }, extensions: ["ext/configure"])
        printf 'all:\\n\\techo made > made.txt\\ninstall:\\n\\tcp made.txt %s/\\nclean:\\n' "${1#--prefix=}" > Makefile
      SH
      # The bundles in this test do not contain rake.
      assert_same_as_gem_install(rake, "raked-1.0", "rake" => "env -u GEM_HOME -u GEM_PATH rake")
      assert_same_as_gem_install(configure, "configured-1.0")
    end

    def test_a_second_bundle_gets_the_stored_build
      archive = native_gem("alpha")
      first = build(builder("one"), archive)
      second = builder("two")
      manifest = second.reuse(key(second, archive)).manifest

      assert_equal first.key, key(second, archive)
      assert_equal first.manifest.paths, manifest.paths
      store.native.link([[layout.root, [manifest], :hard]]).each { |linked| assert_predicate linked, :ok? }
      assert_equal "1", run_ruby("-I#{layout.gems}/alpha-1.0/lib", "-e", "require 'alpha'; print ALPHA")
      assert_path_exists File.join(layout.extensions, "alpha-1.0/gem.build_complete")
    end

    # The input is written in the same tick of the file system's clock in which the build starts.
    def test_a_build_whose_input_was_written_just_before_is_stored
      input = File.join(folder, "input")
      8.times do |i|
        archive = native_gem("g#{i}", { "ext/g#{i}/extconf.rb" => <<~RUBY })
          File.read(#{input.dump})
          File.write("Makefile", "all:\ninstall:\nclean:\n")
        RUBY
        made = builder
        what = unpack(archive)
        File.write(input, i.to_s)
        result = made.build(**what, key: made.key(what[:package], []))

        refute_nil made.reuse(result.key), i
      end
      assert_empty(seen.select { |event| event[:event] == :warning })
    end

    # The file system's times are in whole seconds, so the change has an earlier time than the start.
    def test_a_build_whose_input_changes_in_the_second_of_its_start_is_not_stored
      obstacle = TestDisk.obstacle(:ext4) and skip obstacle
      disk = TestDisk.new(:ext4, File.join(folder, "disk.image"))
      disk.mount(File.join(folder, "disk"))
      10.times do |i|
        result, seconds = changed_in_build("g#{i}", File.join(folder, "disk/input"))
        next unless seconds.uniq.one?

        return assert_nil(builder.reuse(result.key))
      end
      flunk "no build started and had its change within one second"
    ensure
      disk&.unmount
    end

    def test_files_removed_by_a_build_are_recorded
      archive = native_gem("alpha", { "data/old" => "old", "ext/alpha/extconf.rb" => <<~RUBY })
        require "mkmf"
        File.unlink("../../data/old")
        Dir.mkdir("../../empty")
        File.symlink("alpha.rb", "../../lib/link.rb")
        create_makefile("alpha/alpha")
      RUBY
      result = build(builder, archive)

      assert_equal ["gems/alpha-1.0/data/old"], Build::Builder.removed(result.manifest)
      entries = Array.new(result.manifest.count) { |index| result.manifest.entry(index) }
      types = entries.to_h { |entry| [entry[:path].delete_prefix("gems/alpha-1.0/"), [entry[:type], entry[:target]]] }
      assert_equal [:directory, nil], [types["empty"][0], types["empty"][1].to_s.empty? ? nil : types["empty"][1]]
      assert_equal [:symlink, "alpha.rb"], types["lib/link.rb"]
    end

    def test_a_build_that_names_its_bundle_is_only_used_there
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~'RUBY' })
        require "mkmf"
        $CFLAGS << " -DWHERE=\\\"#{Dir.pwd}\\\""
        create_makefile("alpha/alpha")
      RUBY
      text = format(C_SOURCE, name: "alpha", constant: "ALPHA", value: 1)
      File.write(File.join(folder, "source/alpha/ext/alpha/alpha.c"),
                 "const char *where(void) { return WHERE; }\n#{text}")
      specification = Gem::Package.new(archive).spec
      archive = pack(specification, File.join(folder, "source/alpha"))
      first = builder("one")
      result = build(first, archive)

      refute_nil result.manifest
      refute_nil first.reuse(result.key)
      other = builder("two")
      assert_equal result.key, key(other, archive)
      assert_nil other.reuse(result.key)
      refute_nil build(other, archive).manifest
      refute_nil first.reuse(result.key), "both bundles keep their own"
      refute_nil other.reuse(result.key)
    end

    def test_arguments_reach_the_build_and_its_key
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        require "mkmf"
        with_config("word") == "two words" or abort "got \#{ARGV.inspect}"
        create_makefile("alpha/alpha")
      RUBY
      plain = key(builder, archive)
      result = build(builder(settings: { "BUNDLE_BUILD__ALPHA" => "--with-word='two words'" }), archive)

      refute_equal plain, result.key
      assert_equal "--with-word=two words\n", File.read(File.join(layout.build_info, "alpha-1.0.info"))
      assert_includes result.manifest.paths, "build_info/alpha-1.0.info"
    end

    def test_no_process_starts_for_what_is_stored
      archive = native_gem("alpha")
      build(builder, archive)
      compilerless = ENV.to_h.merge("PATH" => write("nothing/.keep", "").delete_suffix("/.keep"))
      second = builder("two", env: compilerless)

      refute_nil second.reuse(key(second, archive)), "a machine that lost its compiler still uses what it built"
    end

    def test_two_processes_build_the_same_once
      count = File.join(folder, "count")
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        require "mkmf"
        File.write(#{count.dump}, "x", mode: "a")
        sleep 0.5
        create_makefile("alpha/alpha")
      RUBY
      jobs = %w[one two].map do |app|
        made = builder(app)
        what = unpack(archive)
        -> { made.build(**what, key: made.key(what[:package], [])) }
      end
      results = jobs.map { |job| Thread.new(&job) }.map(&:value)

      assert_equal "x", File.read(count)
      assert_equal [false, true], results.map(&:cached?).sort_by(&:to_s)
      %w[one two].each do |app|
        assert_path_exists Dir.glob("#{folder}/#{app}/**/gems/alpha-1.0/lib/alpha/alpha.so").first.to_s
      end
    end

    def test_builds_of_several_gems_run_at_once
      archives = %w[alpha beta].map do |name|
        other = name == "alpha" ? "beta" : "alpha"
        native_gem(name, { "ext/#{name}/extconf.rb" => <<~RUBY })
          require "mkmf"
          File.write("#{folder}/started-#{name}", "")
          300.times { File.exist?("#{folder}/started-#{other}") ? break : sleep(0.1) }
          File.exist?("#{folder}/started-#{other}") or abort "alone"
          create_makefile("#{name}/#{name}")
        RUBY
      end
      made = builder(jobs: 2)
      threads = archives.map { |archive| Thread.new { build(made, archive) } }

      threads.each { |thread| refute_nil thread.value.manifest }
    end

    def test_cancel_ends_the_build_and_all_it_started
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        child = spawn("trap '' TERM; while :; do sleep 0.1; done")
        File.write("#{folder}/pid", child.to_s)
        sleep 60
      RUBY
      made = builder
      thread = Thread.new { build(made, archive) }
      thread.report_on_exception = false
      wait_until { File.size?(File.join(folder, "pid")) }
      made.cancel

      assert_raises(Interrupted) { thread.value }
      assert_gone Integer(File.read(File.join(folder, "pid")))
      refute_path_exists File.join(layout.extensions, "alpha-1.0/gem.build_complete")
      assert_raises(Interrupted) { build(made, archive) }
    end

    def test_build_ends_with_the_requesting_process
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        File.write("#{folder}/pid", Process.pid.to_s)
        sleep 60
      RUBY
      made = builder
      what = unpack(archive)
      pid = fork do
        made.build(**what, key: "0" * 64)
      ensure
        exit!
      end
      wait_until { File.size?(File.join(folder, "pid")) }
      Process.kill(:KILL, pid)
      Process.wait(pid)

      assert_gone Integer(File.read(File.join(folder, "pid")))
    end

    private

    # Starts a build at the beginning of a second, and changes its input while it runs. Returns the Result, and the
    # seconds in which the build started and the input changed.
    def changed_in_build(name, input)
      archive = native_gem(name, { "ext/#{name}/extconf.rb" => <<~RUBY })
        File.read(#{input.dump})
        File.write("begun", "")
        sleep 0.01 until File.exist?("done")
        File.write("Makefile", "all:\ninstall:\nclean:\n")
      RUBY
      made = builder
      what = unpack(archive)
      File.write(input, "1")
      changer = Thread.new do
        at = "#{what[:gem_dir]}/ext/#{name}"
        wait_until { File.exist?("#{at}/begun") }
        File.write(input, "2")
        File.write("#{at}/done", "")
      end
      sleep 1 - (Time.now.to_f % 1)
      began = Time.now.to_i
      result = made.build(**what, key: made.key(what[:package], []))
      changer.join
      [result, [began, File.stat(input).ctime.to_i]]
    end

    def assert_same_as_gem_install(archive, full_name, env = {})
      home = gem_install(archive, env: env)
      result = build(builder(env: ENV.to_h.merge(env)), archive)
      parts = ["gems/#{full_name}", "extensions/#{layout.extensions_scope}/#{full_name}"]
      parts.each do |part|
        expected = TreeComparison.snapshot(File.join(home, part))
        found = TreeComparison.snapshot(File.join(layout.root, part))

        refute_empty expected
        assert_empty TreeComparison.differences(expected, found, allowed: expected.keys.grep(UNSTABLE))
      end
      made = result.manifest.paths.map { |path| File.join(layout.root, path) }
      made.each { |path| assert File.exist?(path), path }
    end

    def run_ruby(*arguments)
      output = IO.popen([Util::Ruby.path, *arguments], err: %i[child out], &:read)
      assert_predicate $?, :success?, output
      output
    end

    def wait_until(seconds = 20)
      (seconds * 20).times { yield ? return : sleep(0.05) }
      flunk "waited #{seconds} s"
    end

    def assert_gone(pid)
      wait_until(5) { !alive?(pid) }
    end

    # A zombie counts as dead.
    def alive?(pid)
      !File.read("/proc/#{pid}/stat").match?(/\) Z /)
    rescue SystemCallError
      false
    end
  end
end
