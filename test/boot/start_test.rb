# frozen_string_literal: true

require_relative "exec_case"

module Spate
  # The parts of Spate that a boot uses, the switches that disable them, and failures, which must not fail the program.
  class StartTest < ExecCase
    def test_the_first_boot_builds_and_the_next_uses_everything
      assert_equal "no compile cache yet", parts["compile_cache"]
      build
      found = parts
      %w[compile_cache loader replay load_path_cache boot_end].each { |part| assert_equal true, found[part], part }
    end

    def test_each_switch_turns_off_its_part
      build
      { "SPATE_NO_BUNDLE" => "loader", "SPATE_NO_LOAD_PATH_CACHE" => "load_path_cache", "SPATE_NO_REPLAY" => "replay",
        "SPATE_NO_YAML" => "yaml", "DISABLE_BOOTSNAP_COMPILE_CACHE" => "loader",
        "DISABLE_BOOTSNAP_LOAD_PATH_CACHE" => "load_path_cache" }.each do |name, part|
        found = parts(name => "1")
        assert_equal "turned off", found[part], name
        others = %w[compile_cache loader replay load_path_cache] - [part]
        others.each { |other| assert_equal true, found[other], "#{name}: #{other}" }
      end
      assert_equal "turned off", parts(SPATE_HEAP: "0")["heap"]
      assert_equal "turned off", parts(SPATE_LEAN: "0")["lean"]
    end

    def test_read_only_boot_writes_no_file
      %w[SPATE_READONLY BOOTSNAP_READONLY].each do |name|
        spate_exec("ruby", "-e", "1", name => "1", "SPATE_BOOT_BACKGROUND" => "1")
        assert_empty Dir["#{project.home}/spate/**/*"]
      end
    end

    def test_damaged_compile_cache_causes_one_warning
      build
      ["", "x" * 100, File.binread(cache).sub("local", "lucal")].each do |bytes|
        path = cache
        File.binwrite("#{path}.new", bytes)
        File.rename("#{path}.new", path)
        output, status = spate_exec("ruby", "-e", "require 'local'; puts Local.answer")
        assert_predicate status, :success?
        assert_equal "42\n", output.lines.last
        assert_operator output.lines.grep(/^spate: /).length, :<=, 1, output
      end
    end

    def test_folder_writable_by_others_causes_one_warning
      build
      File.chmod(0o777, File.dirname(cache))
      output, status = spate_exec("ruby", "-e", "require 'local'; puts Local.answer")
      assert_equal [true, "42\n"], [status.success?, output.lines.last]
      assert_equal 1, output.lines.grep(/^spate: .*can be written by others/).length, output
    end

    def test_missing_extension_disables_its_parts
      library = File.expand_path("../../lib", __dir__)
      FileUtils.cp_r([library, File.expand_path("../../exe", __dir__)], folder)
      FileUtils.rm_f(File.join(folder, "lib/spate/native/boot.so"))
      output, status = project.run("ruby", "--disable-gems", File.join(folder, "exe/spate"), "exec",
                                   "ruby", "-e", "require 'local'; puts Local.answer")
      assert_equal [true, "42\n"], [status.success?, output.lines.last]
      assert_equal 1, output.lines.grep(/^spate: /).length, output
    end

    def test_an_engine_other_than_cruby_boots_without_spate
      program = 'Object.send(:remove_const, :RUBY_ENGINE); RUBY_ENGINE = "jruby"; require "spate/boot"; ' \
                "p Spate::Boot.session, defined?(Spate::Native)"
      output, status = project.run("ruby", "--disable-gems", "-I#{Boot::LIBRARY}", "-e", program)
      line = "spate: booting without Spate: expected CRuby, found jruby #{RUBY_ENGINE_VERSION}"
      assert_equal [true, [line, "nil", "nil"]], [status.success?, output.lines(chomp: true)]
      output, = project.run("ruby", "--disable-gems", "-I#{Boot::LIBRARY}", "-e", program, "SPATE_BOOT" => "0")
      assert_equal "nil\nnil\n", output
    end

    def test_an_edit_applies_at_the_next_boot
      build
      answer = ["ruby", "-e", "require 'local'; puts Local.answer"]
      assert_equal "42\n", spate_exec(*answer).first
      write("app/local/lib/local.rb", File.read(project.path("local/lib/local.rb")).sub("42", "43"))
      assert_equal "43\n", spate_exec(*answer).first
      write("app/Gemfile", "gem 'local', path: 'local', require: false\n")
      assert_equal %W[43\n Gemfile], [spate_exec(*answer).first, parts["replay"][/Gemfile/]]
    end

    def test_require_in_the_application_uses_the_bundler_replay
      build
      program = "require 'spate/boot'; require 'bundler/setup'; require 'local'; require 'json'\n" \
                "puts JSON.generate([Local.answer, Spate::Boot.session.parts])"
      path = write("app/config/boot.rb", program)
      output, = project.run("ruby", "-I#{File.expand_path("../../lib", __dir__)}", path, chdir: folder)
      answer, parts = JSON.parse(output.lines.last)
      assert_equal [42, true, true, true], [answer, *parts.values_at("loader", "replay", "load_path_cache")], output
    end

    def test_require_under_bundle_exec_uses_the_other_parts
      build
      path = write("app/main.rb", "require 'spate/boot'; require 'local'; require 'json'\n" \
                                  "puts JSON.generate([Local.answer, Spate::Boot.session.parts])")
      output, = project.run("bundle", "exec", "ruby", "-I#{File.expand_path("../../lib", __dir__)}", path)
      answer, parts = JSON.parse(output.lines.last)
      assert_equal [42, true, "Bundler has already set up the bundle", true],
                   [answer, *parts.values_at("loader", "replay", "load_path_cache")], output
    end

    def test_gem_of_the_bundle_that_is_not_required
      root = File.expand_path("../..", __dir__)
      write("app/Gemfile", "gem 'local', path: 'local'\ngem 'spate', path: #{root.dump}, require: false\n")
      project.lock
      build
      output, = spate_exec("ruby", "-e",
                           "Bundler.require; require 'spate/boot'; p Local.answer, Spate::Boot.session.on?(:replay)")
      assert_equal "42\ntrue\n", output
    end

    def test_log_and_block_receive_every_file
      log = File.join(folder, "log")
      program = "seen = []; Spate::Boot.instrumentation = ->(event, path, _) { seen << [event, path[/[^\\/]+$/]] }; " \
                "require 'local'; p seen.assoc(:miss) || seen.assoc(:hit)"
      output, = spate_exec("ruby", "-e", program, SPATE_LOG: log)
      assert_equal "[:miss, \"local.rb\"]\n", output
      assert_match(/ miss .*local\.rb$/, File.read(log))
      build
      assert_equal "[:hit, \"local.rb\"]\n", spate_exec("ruby", "-e", program).first
      output, = spate_exec("ruby", "-e", "require 'local'", BOOTSNAP_STATS: "1")
      assert_match(/^spate hit: [1-9]/, output)
    end

    ENDS = {
      "fork" => "Process.wait(fork {})", "exit" => "", "exec" => nil,
      "accept" => "require 'socket'; require 'local'; server = TCPServer.new('localhost', 0); " \
                  "client = TCPSocket.new('localhost', server.addr[1]); server.accept",
      "after_initialize" => "require 'hooks'; require 'local'; ActiveSupport.run_load_hooks(:after_initialize)"
    }.freeze

    HOOKS = <<~RUBY
      module ActiveSupport
        def self.run_load_hooks(name, base = Object) = (base)
      end
    RUBY

    def test_boot_ends_at_the_first_end_event
      write("app/local/lib/hooks.rb", HOOKS)
      ENDS.each do |name, program|
        next unless program

        output, = spate_exec("ruby", "-e", "#{program}; before = Spate::Boot::BootEnd.reason; at_exit { p before }; " \
                                           "p TCPServer.instance_method(:accept).owner if defined?(TCPServer)")
        assert_equal(name == "exit" ? "nil" : ":#{name}", output.lines.last.chomp, name)
      end
    end

    # Newer Rails loads its routes after the boot, and a server loads some files for its first request.
    def test_files_loaded_after_the_end_of_the_boot_come_from_compile_caches
      write("app/local/lib/hooks.rb", HOOKS)
      10.times { |number| write("app/local/lib/late#{number}.rb", "LATE#{number} = 1\n") }
      program = "require 'hooks'; require 'local'; ActiveSupport.run_load_hooks(:other); " \
                "ActiveSupport.run_load_hooks(:after_initialize); 5.times { |n| require \"late\#{n}\" }; fork {}; " \
                "Process.wait; 5.times { |n| require \"late\#{n + 5}\" }; " \
                "p Spate::Boot::BootEnd.reason, " \
                "Spate::Native::Loader.recorded.to_h.select { |path,| path[/late/] }.values.uniq"
      build("ruby", "-e", program)
      output = nil
      wait { (output, = spate_exec("ruby", "-e", program)).first.end_with?("[:hit]\n") }

      assert_equal ":after_initialize\n[:hit]\n", output
    end

    # The Bundler replay is missing, could not be made, or was made by a different version.
    def test_a_bundler_replay_that_cannot_be_used_is_made_again
      require "spate/boot/entry"
      build
      made = Native::CompileCache.open(cache,
                                       key: key = File.basename(File.dirname(cache, 2))).data("replay")
      { "in the meantime" => Gemfile::Setup::Record.bytes({ refused: "x changed in the meantime", again: true }),
        "another Spate" => made.sub(/\n/n, "1\n"), "has none" => nil }.each do |reason, replay|
        rewrite(key, replay)
        assert_includes parts["replay"], reason
        spate_exec("ruby", "-e", "1", SPATE_BOOT_BACKGROUND: "1")
        wait { parts["replay"] == true && unlocked? }
      end
      rewrite(key, Gemfile::Setup::Record.bytes({ refused: "the Gemfile runs `true`" }))
      spate_exec("ruby", "-e", "1", SPATE_BOOT_BACKGROUND: "1")
      sleep 0.5

      assert_equal "the Gemfile runs `true`", parts["replay"]
    end

    # The last step fails, so all steps are reverted.
    def test_bundler_replay_that_fails_midway_causes_one_warning
      require "spate/boot/entry"
      build
      record = Gemfile::Setup::Record.new(Native::CompileCache.open(cache,
                                                                    key: key = File.basename(File.dirname(
                                                                                               cache, 2
                                                                                             )))
                                                       .data("replay"))
      rewrite(key, Gemfile::Setup::Record.bytes(record.head, record.facts.merge(marks: nil), record.more))
      program = "require 'local'; puts Local.answer, Bundler.definition.specs.map(&:full_name), $LOAD_PATH.uniq, " \
                "ENV.to_h.except('RUBYOPT').select { |key,| key =~ /RUBY|BUNDLE/ && key !~ /SPATE/ }.sort.inspect"
      told, rest = both(program).map(&:first).then { |real, ours| [ours.lines.grep(/^spate: /), [real, ours]] }

      assert_equal rest.first, rest.last.lines.grep_v(/^spate: /).join
      assert_match(/\Aspate: booting without replay: .*Failed: TypeError/, told.join)
      assert_equal 1, told.size
    end

    def test_unusable_store_is_reported_with_a_hint
      output, = spate_exec("ruby", "-e", "puts 1", SPATE_HOME: "relative")
      assert_equal "spate: booting without compile cache: no folder for the store: SPATE_HOME is not an " \
                   "absolute path: \"relative\"; use an absolute path: #{project.path("relative")}\n1\n", output
    end

    private

    # Replaces the Bundler replay in the application's compile cache, and makes the cache old enough to be rebuilt.
    def rewrite(key, replay)
      former = Native::CompileCache.open(path = cache, key: key)
      data = former.data_names.to_h { |name| [name, former.data(name).dup] }.merge("replay" => replay).compact
      files = former.paths.map do |file|
        [file, former.entry(file).values_at(:size, :mtime_ns, :ctime_ns, :hash, :recorded_ns, :inode, :flags),
         former.blob(file)]
      end
      Native::CompileCache.write(path, key: key, files: files, data: data)
      File.utime(Time.now - 30, Time.now - 30, path)
    end
  end
end
