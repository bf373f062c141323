# frozen_string_literal: true

require "boot/bundler_replay/bundle_case"

module Spate
  module Boot
    # Changes every input of Bundler once. The record must then be invalid, with the right reason, and valid after the
    # undo.
    class RecordTest < BundleCase
      # { input => [path, lambda that returns the changed text] }. "@" in a path means the bundle's folder.
      FILES = {
        "Gemfile" => ["Gemfile", ->(text) { text.sub("plain", "plaim") }],
        "eval_gemfile" => ["more.rb", ->(text) { text.sub("nothing", "nothinG") }],
        "lockfile" => ["Gemfile.lock", ->(text) { text.sub("plain (1.0)", "plain (1.1)") }],
        "a file that the Gemfile reads" => [".ruby-version", ->(text) { text.sub("any", "one") }],
        "gemspec of a path" => ["engines/local/local.gemspec", ->(text) { text.sub("nobody", "nobodY") }],
        "what a gemspec loads" => ["engines/local/lib/local/version.rb", ->(text) { text.sub("1.0", "1.1") }],
        "gemspec of a gem" => ["@/specifications/plain-1.0.gemspec", ->(text) { text.sub("1.0", "1.1") }]
      }.freeze
      # { variable => [value, expected reason] }
      KEYS = {
        HAMMER: ["new", /HAMMER has changed/], BUNDLE_WITHOUT: ["tools", /BUNDLE_WITHOUT is set/],
        BUNDLE_PATH: ["elsewhere", /BUNDLE_PATH has changed/], GEM_HOME: ["/nowhere", /GEM_HOME has changed/],
        GEM_PATH: ["/nowhere", /GEM_PATH has changed/], RUBYLIB: ["/nowhere", /RUBYLIB has changed/],
        RUBYOPT: ["-W0", /RUBYOPT has changed/], HOME: ["/nowhere", /HOME has changed/],
        BUNDLE_GEMFILE: ["/nowhere/Gemfile", /BUNDLE_GEMFILE has changed/]
      }.freeze

      def setup
        @bytes = self.class.bytes { make }
      end

      def self.bytes = @bytes ||= yield

      FILES.each do |name, (path, change)|
        define_method("test_#{name.tr(" ", "_")}_edited_with_its_size_and_mtime_kept") do
          file = path.start_with?("@") ? path.sub("@", project.bundle_root) : project.path(path)
          before = File.binread(file)
          changed(/#{Regexp.escape(File.basename(path))} changed/) do
            edit(file, change.call(before))
            -> { edit(file, before) }
          end
        end
      end

      KEYS.each do |key, (value, reason)|
        define_method("test_#{key}_of_another_value") do
          assert_match reason, usable?(@bytes, key => value)
          assert_equal true, usable?(@bytes)
        end
      end

      def test_additional_engine
        changed(/engines/) do
          FileUtils.cp_r(project.path("engines/local"), project.path("engines/other"))
          -> { FileUtils.rm_rf(project.path("engines/other")) }
        end
      end

      def test_additional_file_of_an_engine
        changed(%r{engines/local}) { added(project.path("engines/local/lib/more.rb"), "") }
      end

      def test_settings_of_the_application
        changed(%r{\.bundle/config is new}) { added(project.path(".bundle/config"), "BUNDLE_WITHOUT: tools\n") }
      end

      def test_settings_of_the_user
        changed(%r{\.bundle(/config)? (is new|changed)}) do
          path = "#{project.home}/.bundle/config"
          before = File.binread(path) if File.exist?(path)
          added(path, "BUNDLE_WITHOUT: tools\n", before)
        end
      end

      def test_another_gem_is_installed
        changed(/specifications contains other names/) do
          added("#{project.bundle_root}/specifications/unrelated-1.0.gemspec", "# a gem\n")
        end
      end

      def test_a_gem_is_uninstalled
        changed(/(specifications|gems) contains other names/) do
          taken("specifications/plain-1.0.gemspec", "gems/plain-1.0")
        end
      end

      def test_folder_of_a_gem_is_removed
        changed(%r{/gems contains other names}) { taken("gems/plain-1.0") }
      end

      def test_a_native_part_is_not_built
        changed(/build_complete is gone/) do
          taken(*Dir.glob("extensions/**/gem.build_complete", base: project.bundle_root).first(1))
        end
      end

      def test_bundle_is_removed
        changed(/is gone/) do
          away = project.path("vendor.away")
          File.rename(project.path("vendor"), away)
          -> { File.rename(away, project.path("vendor")) }
        end
      end

      def test_target_of_a_symbolic_link
        path = project.path("more.rb")
        target = project.path("shared.rb")
        File.rename(path, target)
        File.symlink(target, path)
        @bytes = make
        changed(/(more|shared).rb changed/) do
          before = File.binread(target)
          edit(target, before.sub("nothing", "nothinG"))
          -> { edit(target, before) }
        end
      ensure
        File.rename(target, path)
      end

      def test_changed_times_are_no_change
        files = [project.path("Gemfile"), *Dir.glob("#{project.bundle_root}/specifications/*.gemspec")]
        FileUtils.touch(files + ["#{project.bundle_root}/specifications"], mtime: Time.now - 10_000)

        sleep 0.03 # mtimes of younger files prove nothing
        record = Record.new(@bytes)
        assert_equal [true, true], [record.usable?(env), record.times_changed?]
      end

      def test_another_ruby
        original = Record.method(:ruby)
        Record.define_singleton_method(:ruby) { ["ruby 9.9"] }

        assert_match(/this is another Ruby/, usable?(@bytes))
      ensure
        Record.define_singleton_method(:ruby, original)
      end

      def test_truncated_bytes_and_other_formats
        [0, 10, 40, @bytes.bytesize - 1].each do |size|
          assert_equal "the record is damaged", usable?(@bytes.byteslice(0, size))
        end
        assert_equal "the record is damaged", usable?(@bytes.sub("BUNDLER", "BUNGLER"))
      end

      def test_bytes_of_another_spate
        [@bytes.sub(" #{VERSION}\n", " 0.0.9\n"), @bytes.sub(/BUNDLER \d+/n, "BUNDLER 0"),
         @bytes.sub(/BUNDLER .*\n/n, "BUNDLER 1\n")].each do |other|
          assert_equal "the record was made by another Spate", usable?(other)
          assert Record.new(other).outdated?(env)
          assert_nil Record.new(other).contents
        end
      end

      def test_a_child_of_a_program_that_is_set_up
        inner = run_with(@bytes, "-rjson", "-e", "puts JSON.dump(ENV.to_h)")

        assert_equal true, Record.new(@bytes).usable?(JSON.parse(inner))
      end

      def test_inputs_are_checked_with_few_system_calls
        skip "needs strace" unless system("which strace", out: File::NULL)
        bytes = make
        _, _, record, globs = Gemfile::Fingerprint.send(:read, Record.new(bytes).head[:fingerprint])
        inputs = Inputs.each(record).size
        path = write("bytes", bytes)
        library = File.expand_path("../../../lib", __dir__)
        script = "%w[native/boot gemfile].each { |file| require \"#{library}/spate/\#{file}\" }; " \
                 "bytes = File.binread(ARGV[0]); record = Spate::Gemfile::Setup::Record; " \
                 "use = -> { record.new(bytes).usable?(ENV) == true or abort }; " \
                 "use.call; File.exist?('/mark'); use.call; File.exist?('/mark')"
        trace = project.run!("strace", "-f", "-e", "trace=file", "ruby", "-e", script, path)
        calls = trace.split(%r{/mark}, 3)[1].lines.grep(/stat/).size

        # Patterns are searched again. A folder in a disk image has times that prove nothing.
        assert_operator calls, :<=, inputs + 10 + (30 * globs.size)
      end

      private

      # The block makes a change, and returns a lambda that reverts it.
      def changed(reason)
        assert_equal true, usable?(@bytes)
        back = yield
        assert_match reason, usable?(@bytes).to_s
      ensure
        back&.call
        assert_equal true, usable?(@bytes)
      end

      def edit(path, text)
        stat = File.stat(path)
        assert_equal stat.size, text.bytesize
        File.binwrite(path, text)
        File.utime(stat.atime, stat.mtime, path)
      end

      def added(path, text, before = nil)
        made = File.dirname(path) unless File.exist?(File.dirname(path))
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
        -> { before ? File.binwrite(path, before) : FileUtils.rm_r(made || path) }
      end

      def taken(*paths)
        pairs = paths.map { |path| ["#{project.bundle_root}/#{path}", project.path("away-#{File.basename(path)}")] }
        pairs.each { |from, to| File.rename(from, to) }
        -> { pairs.each { |from, to| File.rename(to, from) } }
      end
    end
  end
end
