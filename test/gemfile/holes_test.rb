# frozen_string_literal: true

require_relative "gemfile_check_case"
require_relative "gemfile_reads"
require "spate/tracer"
require "support/test_disk"

module Spate
  module Gemfile
    # Ways for a Gemfile to read the state of the machine. For each of them, the change either invalidates the stored
    # Gemfile check, or the check is not stored.
    class HolesTest < GemfileCheckCase
      include GemfileReads

      SEEN.each_with_index do |(line, change), index|
        define_method("test_change_outdates_#{index}_#{line[0, 40].gsub(/\W+/, "_")}") do
          scene(line)
          facts = evaluate
          assert_empty facts.volatile, line
          assert recall, "#{line}: recalled while nothing changed"
          change.call(self, method(:path))
          assert_nil recall, "#{line}: seen"
        end
      end

      NEVER = {
        "Time.new" => /Time/, "File.umask" => /umask/, "ObjectSpace.count_objects" => /ObjectSpace/,
        "require 'etc'; Etc.getlogin" => /Etc/, "File.ctime('f')" => /ctime/, "File.stat('f').ino" => /ino/,
        "File.identical?('f', 'g')" => /identical/, "File.read('/proc/uptime')" => %r{/proc/uptime},
        "`uname -s`" => /runs `uname -s`/, "IO.popen('git --version; uname').read" => /runs/,
        "ENV.sort" => /ENV/, "ENV.any? { true }" => /ENV/, "ENV.filter_map { 1 }" => /ENV/, "ENV.find { 1 }" => /ENV/,
        "Bundler.original_env" => /original_env/, "Bundler::ORIGINAL_ENV.size" => /ORIGINAL_ENV/,
        "Bundler.which('none')" => /which/, "%w[none].map(&Bundler.method(:which))" => /which/,
        "Object.new.extend(Bundler::SharedHelpers).send(:pwd)" => /pwd/, "Gem.loaded_specs" => /loaded_specs/,
        "Bundler::SharedHelpers.instance_method(:pwd).bind_call(BasicObject.new)" => /pwd/,
        "Object.new.extend(Bundler::SharedHelpers.dup).send(:pwd)" => /pwd/,
        "Bundler::FileUtils.uptodate?('f', ['g'])" => /uptodate/, "Gem::Specification.new.date" => /date/,
        "Gem::Specification::TODAY" => /TODAY/,
        "Bundler.root; Time.new" => /Time/, "install_if(-> { Time.new }) { gem %(none) }" => /Time/,
        "install_if(->(at = Time.new) { at }) { gem 'none' }" => /Time/,
        "begin; Gem::Version.new('-'); rescue ArgumentError; Time.new; end" => /Time/,
        "Bundler::Definition.prepend(Module.new { def nothing_changed?(at = Time.new) = !at })" => /Time/,
        "class << Gem; alias old ruby_engine; alias ruby_engine user_dir; end; " \
        "begin; Gem.user_dir; rescue SystemStackError; Time.new; end; class << Gem; alias ruby_engine old; end" => /T/,
        "Bundler::Definition.prepend(Module.new { def nothing_changed? = !Time.new })" => /Time/,
        "eval('Time.new', nil, RbConfig::CONFIG['rubylibdir'] + '/set.rb')" => /evaluates code as/,
        "Dir.allocate.tap { |folder| folder.send(:initialize, 'sub') }.to_a" => /allocate/,
        "`git log --since=1.hour --format=%h`" => /may differ/, "`git log -1 --format=%cr`" => /may differ/,
        "`git log -1 --format=%cd --date=local`" => /may differ/,
        "`git log -1 --format=%h%n%ad`" => /may differ/,
        "`git rev-parse HEAD`; IO.popen(%w[git diff --name-only]).read" => /git diff/,
        "`git rev-parse HEAD`; system(%w[git git], 'diff', '--quiet')" => /git diff/,
        "`git rev-parse HEAD`; IO.popen([%w[git git], 'diff', '--quiet'], &:read)" => /git diff/,
        "`git rev-parse HEAD`; Process.wait(spawn({}, %w[git any], 'diff', '--quiet'))" => /git diff/,
        "`git rev-parse HEAD`; open('|git diff --name-only').read" => /git diff/,
        "`git rev-parse HEAD`; IO.read('|git diff --name-only')" => /git diff/,
        "`git rev-parse HEAD`; IO.foreach('|git diff --name-only').to_a" => /git diff/,
        "`git rev-parse HEAD`; IO.write('|git diff --quiet', '')" => /git diff/,
        "`git rev-parse HEAD`; words = Object.new; def words.to_str = 'git diff --quiet'; system(words)" => /command/,
        "IO.popen('-') { |pipe| pipe ? pipe.read : print(Time.now.to_i) }" => /forks/,
        "open('|-') { |pipe| pipe ? pipe.read : print(Time.now.to_i) }" => /forks/,
        "`git ls-files --modif`" => /may differ/, "`git ls-files --other`" => /may differ/,
        "`git describe --always --dirt`" => /may differ/, "`git config --exp gc.some`" => /may differ/,
        "system('git', 'tag', '--form=%(creatordate:relative)')" => /may differ/,
        "`git log -1 --format=%h --pretty=medium --date=relative`" => /may differ/,
        "`git old`" => /may differ/, "`git -c alias.old=log old`" => /may differ/,
        "`git ls-files -m`" => /may differ/, "`git diff --name-only`" => /may differ/,
        "`git rev-list --format=%cr HEAD`" => /may differ/, "`git tag --format=%(creatordate)`" => /may differ/,
        "c = Process.clone; def c.name = 'String'; c.clock_gettime(0)" => /clock_gettime|copy/,
        "Object.const_set(:ClockError, Process.clone).clock_gettime(0)" => /copy/,
        "Gem.instance_variable_get(:@loaded_specs)" => /instance_variable_get/,
        "Gem.instance_eval { @loaded_specs }" => /instance_eval/,
        "class << Gem; def mine = @loaded_specs; end; Gem.mine" => /method_added/,
        "ENV['LD_PRELOAD']" => /LD_PRELOAD/, "ENV.key?('ASAN_OPTIONS')" => /ASAN_OPTIONS/,
        "ENV.values_at('SOME', 'SPATE_TRACER')" => /SPATE_TRACER/,
        "ENV.fetch('BUNDLE_GEMFILE', nil)" => /BUNDLE_GEMFILE/,
        "install_if(Time.method(:now)) { gem 'none' }" => /install_if/, "STDIN.read" => /STDIN/,
        "File.binwrite('new', 'x')" => /writes/,
        "require 'fileutils'; FileUtils.touch('new')" => /writes|Time/, "Dir.mkdir('new')" => /writes/,
        "require 'socket'; begin; UNIXSocket.new('/none'); rescue SystemCallError; end" => /socket|UNIXSocket/,
        "e = Enumerator.produce(Time, &:now); e.next; e.next" => /Time/,
        "e = to_enum(:group, :x); e.next; Time.now" => /T/,
        "open('/proc/self/status').read" => /status/, "Dir.chdir('/proc/self') { Dir.pwd }" => /self/,
        "File.readlink('/proc/self')" => /self/, "Dir.glob('/proc/self/fd/*')" => /self/,
        "Process.wait(fork { exit!(0) })" => /fork/, "Process.clock_gettime(1)" => /Process/,
        "[1, 2].sample" => /sample/, "Dir.children('/sys')" => %r{/sys}, "File.read('/proc/mounts')" => /mounts/,
        "File.open('/dev/urandom').getbyte" => /urandom/,
        "IO.foreach(%q(/dev/urandom)).next" => /urandom/, "Pathname('/proc/self/status').read" => /status/
      }.freeze

      NEVER.each_with_index do |(line, reason), index|
        define_method("test_never_stored_#{index}_#{line[0, 40].gsub(/\W+/, "_")}") do
          scene(line)
          assert_match reason, evaluate.volatile.join("; ")
          assert_nil recall
        end
      end

      INSTALLED.each_with_index do |(line, name), index|
        define_method("test_installed_gems_#{index}_#{line[0, 40].gsub(/\W+/, "_")}") do
          home = @env["GEM_HOME"] = @env["GEM_PATH"] = File.join(folder, "home")
          FileUtils.mkdir_p(%w[specifications gems/one].map { |place| File.join(home, place) })
          scene(line)
          assert_empty evaluate.volatile
          assert recall, "#{line}: recalled while nothing changed"
          write("home/gems/one/unasked", "")
          assert recall, "#{line}: a file that was not read"
          write("home/#{name}", "Gem::Specification.new('more', '1.0')")
          assert_nil recall, "#{line}: seen"
        end
      end

      # File lists of generated gemspecs, made with `git ls-files`. true: a Gemfile check is stored and is still valid
      # after a new file was added. false: no Gemfile check is stored, because the gemspec depends on more than the
      # list.
      LISTS = {
        "files = `git ls-files -z`.split(0.chr).reject { |name| name.match(%r{^(test|spec|features)/}) }; " \
        "spec.bindir = 'exe'; spec.executables = spec.files.grep(%r{\\Aexe/}) { |name| File.basename(name) }" => true,
        "executables = `git ls-files -- bin/*`.split.map { |name| File.basename(name) }; " \
        "spec.test_files = `git ls-files -- {test,spec,features}/*`.split" => true,
        "files = IO.popen(%w[git ls-files -z], chdir: __dir__, err: IO::NULL) { |names| names.readlines(0.chr, " \
        "chomp: true).reject { |name| name.start_with?(*%w[bin/ test/ .git Gemfile]) } }" => true,
        "extensions = `git ls-files`.split.grep(/extconf/)" => false,
        "extensions = `git ls-files`.split.grep(%r{\\Aext/.*/extconf\\.(rb|c)$})" => false,
        "executables = `git ls-files -- scripts/*`.split.map { |name| File.basename(name) }" => false,
        "version = '1.' + `git ls-files`.lines.size.to_s" => false,
        "add_dependency 'other' if `git ls-files`.include?('native')" => false,
        "require_paths = `git ls-files`.include?('f') ? ['lib'] : ['sub']" => false
      }.freeze

      LISTS.each_with_index do |(line, kept), index|
        define_method("test_a_list_of_files_#{index}_#{line[0, 40].gsub(/\W+/, "_")}") do
          scene("gemspec")
          write("app/exe/tool", "")
          write("app/own.gemspec", <<~RUBY)
            Gem::Specification.new('own', '1.0') { |spec| spec.summary = spec.author = 'own'; spec.#{line} }
          RUBY
          git("init", "--quiet")
          git("add", ".")
          assert_match(kept ? /\A\z/ : /list of files/, evaluate.volatile.join)
          write("app/lib/more.rb", "")
          git("add", ".")
          assert_equal kept, !recall.nil?
        end
      end

      BESIDE.each_with_index do |(line, change), index|
        define_method("test_another_checkout_evaluates_again_#{index}_#{line[0, 40].gsub(/\W+/, "_")}") do
          app("#{line}\n")
          %w[shared/kind shared/Gemfile eng/lib/eng.rb].each { |name| write(name, "") }
          system("git", "init", "--quiet", folder, exception: true) if line.include?("git ")
          assert_empty evaluate.volatile
          assert recall, "#{line}: recalled while nothing changed"
          FileUtils.cp_r(%w[app shared eng].map { |name| File.join(folder, name) },
                         FileUtils.mkdir_p(File.join(folder, "two")).first)
          write("two/#{change.first}", change.last)
          @location = Gemfile.find(File.join(folder, "two/app"), @env)
          assert_nil recall, "#{line}: of another checkout"
        end
      end

      # The test uses more checkouts than Gemfile checks are stored per Gemfile.
      def test_gemfile_checks_of_many_checkouts_are_stored_side_by_side
        write("shared/kind", "")
        checkouts = Array.new(Record::List::MOST + 1) do |number|
          app("File.read('../shared/kind')\n")
          FileUtils.cp_r("#{folder}/app", "#{folder}/app#{number}")
          Gemfile.find("#{folder}/app#{number}", @env)
        end
        checkouts.each { |checkout| @location = checkout and evaluate }
        assert(checkouts.all? { |checkout| @location = checkout and recall })
      end

      # Changes after an input was read and before its state is recorded.
      MEANWHILE = {
        "File.read('link')" => ["ln -sfn g link"], "File.size('f')" => ["echo more > f"],
        "File.directory?('f')" => ["rm f; mkdir f"], "File.exist?('f')" => ["rm f"],
        "File.exist?('sub/none')" => ["mv sub old; mv sub2 sub"], "File.read('sub/one')" => ["mv sub old; mv sub2 sub"],
        "File.read('to/one')" => ["rm to; ln -s sub2 to", "mv sub old; mv sub2 sub"],
        "Dir['sub/*']" => ["touch sub/two"], "File.exist?('none')" => ["touch none"]
      }.freeze

      MEANWHILE.each do |line, changes|
        changes.each_with_index do |change, index|
          define_method("test_changed_meanwhile_#{line.gsub(/\W+/, "_")}#{index}") do
            scene(line)
            assert_match(/changed in the meantime/, meanwhile(change) { evaluate }.volatile.join, "#{line}: #{change}")
            assert_nil recall
          end
        end
      end

      # The change has an earlier mtime than the start of the evaluation.
      def test_changed_meanwhile_on_a_file_system_with_times_in_whole_seconds
        obstacle = TestDisk.obstacle(:ext4) and skip obstacle
        disk = TestDisk.new(:ext4, File.join(folder, "disk.image"))
        disk.mount(path("."))
        scene("File.read('f')")
        10.times do
          sleep 4 - (Time.now.to_f % 1) # two seconds after the last change
          began = Time.now.to_i
          volatile = meanwhile("echo more > f") { evaluate }.volatile
          next unless File.stat(path("f")).ctime.to_i == began

          assert_match(/f changed in the meantime/, volatile.join)
          assert_nil recall
          sleep 3
          assert_empty evaluate.volatile
          return assert(recall)
        end
        flunk "no evaluation was within one second"
      ensure
        disk&.unmount
      end

      def test_files_added_meanwhile_next_to_an_input
        ["touch sub/two", "mkdir -p vendor/bundle"].each do |change|
          scene("File.read('sub/one')")
          assert_empty meanwhile(change) { evaluate }.volatile, change
          assert recall
        end
      end

      def test_unreadable_inputs
        %w[File.read('f') Dir.children('sub')].zip(%w[f sub]) do |line, name|
          scene("begin; #{line}; rescue SystemCallError; end")
          File.chmod(0, path(name))
          assert_match(/\Athe recorded files cannot be read again: /, unprivileged { evaluate.volatile.join }, line)
          File.chmod(0o755, path(name))
        end
      end

      # Default gems and Bundler: the first version in the path is an input.
      def test_another_version_of_a_default_gem
        home = @env["GEM_HOME"] = @env["GEM_PATH"] = File.join(folder, "home")
        { "require 'json'; JSON::VERSION" => "json", "Bundler::VERSION" => "bundler" }.each do |line, name|
          FileUtils.mkdir_p(File.join(home, "specifications"))
          scene(line)
          assert_empty evaluate.volatile
          assert recall
          write("home/specifications/#{name}-99.0.gemspec", "Gem::Specification.new('#{name}', '99.0')")
          assert_nil recall, name
          FileUtils.rm_rf(home)
        end
      end

      def test_another_rubygems_in_the_same_place
        require "bundler"
        methods = [Gem.method(:path), ::Bundler.method(:setup)]
        places = methods.map { |method| File.dirname(method.source_location.first) }
        places.flat_map { |place| %w[rubygems bundler].flat_map { |name| Dir["#{place}/#{name}{,.rb}"] } }.uniq
              .each { |path| FileUtils.cp_r(path, FileUtils.mkdir_p(File.join(folder, "lib")).first) }
        @env["RUBYLIB"] = File.join(folder, "lib")
        scene("Gem::VERSION")
        assert_empty evaluate.volatile
        assert recall
        write("lib/rubygems.rb", File.read(File.join(folder, "lib/rubygems.rb")).sub(/VERSION = .*/, "VERSION = '9.9'"))
        assert_nil recall
      end

      # The length of text that is not ASCII depends on the locale.
      def test_locale_counts_for_text_that_is_not_ascii
        { "x" => true, "\u00e9" => false }.each do |text, kept|
          @env["LC_ALL"] = "C.UTF-8"
          scene("File.read('text').length")
          write("app/text", text)
          child("Gemfile::Check.evaluate(**known)")
          assert_equal "true", child("print !Gemfile::Check.recall(**known).nil?")
          @env["LC_ALL"] = "C"
          assert_equal kept.to_s, child("print !Gemfile::Check.recall(**known).nil?")
        end
      end

      # The locale also matters for names of files and links, and if the Gemfile reads the encoding of a text.
      def test_locale_counts_without_a_file
        ["Dir.children('names').first.size", "Dir['names/*'].first.size", "File.readlink('named').size",
         "File.read('f').encoding", "File.open('f').external_encoding", "Marshal.dump(File.read('f'))"].each do |line|
          @env["LC_ALL"] = "C.UTF-8"
          scene(line)
          FileUtils.mkdir_p(path("names"))
          File.write(path("names/\u00e9"), "")
          FileUtils.ln_sf("names/\u00e9", path("named"))
          child("Gemfile::Check.evaluate(**known)")
          assert_equal "true", child("print !Gemfile::Check.recall(**known).nil?"), line
          @env["LC_ALL"] = "C"
          assert_equal "false", child("print !Gemfile::Check.recall(**known).nil?"), line
        end
      end

      # Bundler evaluates with the Gemfile's name as the user set it, or without one. Spate always sets the name.
      def test_the_gemfile_s_own_name
        line = "ENV.fetch('BUNDLE_GEMFILE', nil) ? 1 : raise"
        @env["BUNDLE_GEMFILE"] = path("Gemfile")
        scene(line)
        assert_empty evaluate.volatile
        assert recall, "used with the same name"
        ["Gemfile", nil].each do |name|
          @env["BUNDLE_GEMFILE"] = name
          @env.compact!
          assert_nil recall, "named #{name.inspect}"
        end
      end

      # `bundle` makes the path absolute before it evaluates.
      def test_the_gemfile_s_own_name_from_a_folder
        scene("raise unless ENV['BUNDLE_GEMFILE'] == File.join(__dir__, 'Gemfile')")
        FileUtils.cp_r(path("."), File.join(folder, "two"))
        @env["BUNDLE_GEMFILE"] = "Gemfile"
        Dir.chdir(path(".")) do
          assert_empty evaluate.volatile
          assert recall
        end
        Dir.chdir(File.join(folder, "two")) do
          @location = Gemfile.find(Dir.pwd, @env)
          assert_nil recall, "of another checkout"
        end
      end

      def test_a_file_that_rubyopt_loads
        @env["RUBYOPT"] = "-r#{write("before.rb", "BEFORE = 1\n")}"
        scene("BEFORE")
        assert_empty evaluate.volatile
        assert recall
        write("before.rb", "BEFORE = 2\n")
        assert_nil recall
      end

      def test_inputs_that_are_not_on_a_disk
        pid = spawn("sleep", "100")
        memory = "/dev/shm/spate-test-#{Process.pid}"
        { "/proc/#{pid}" => -> { Process.kill(:KILL, pid) && Process.wait(pid) },
          memory => -> { File.write(memory, "") } }.each do |place, change|
          scene("File.exist?(#{place.inspect})")
          assert_empty evaluate.volatile
          assert recall, place
          change.call
          assert_nil recall, place
        end
      ensure
        FileUtils.rm_f(memory)
      end

      def test_a_library_in_c_that_reads
        source = write("reader.c", <<~C)
          #include <ruby.h>
          #include <stdio.h>
          #include <unistd.h>
          void Init_reader(void) {
              char text[8] = "";
              FILE *file = fopen("f", "r");
              if (file) { if (!fgets(text, sizeof(text), file)) text[0] = 0; fclose(file); }
              access("sub/more.x", F_OK);
              rb_define_global_const("READ", rb_str_new_cstr(text));
          }
        C
        scene("require File.expand_path('reader.so')")
        headers = RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir").map { |folder| "-I#{folder}" }
        assert system("cc", "-shared", "-fPIC", *headers, "-o", path("reader.so"), source)
        assert_empty evaluate.volatile
        assert recall
        @before = File.stat(path("f"))
        File.write(path("f"), "y")
        assert_nil recall
        File.write(path("f"), "x")
        File.utime(@before.atime, @before.mtime, path("f"))
        assert recall
        File.write(path("sub/more.x"), "")
        assert_nil recall
      end

      def test_times_read_by_a_gemspec
        scene("gemspec")
        write("app/own.gemspec", <<~RUBY)
          Gem::Specification.new do |spec|
            spec.name = "own"
            spec.version = "1.\#{File.mtime(File.join(__dir__, "f")).to_i % 1000}"
            spec.summary = "own"
            spec.authors = ["nobody"]
          end
        RUBY
        evaluate
        assert recall
        File.utime(1, 1, path("f"))
        assert_nil recall
      end

      # Changes of the environment that must not invalidate the check.
      SAME = {
        "TERM" => "dumb", "COLUMNS" => "7", "SSH_CONNECTION" => "1", "SSH_TTY" => "/dev/pts/9", "CI" => "true",
        "GITHUB_ACTIONS" => "true", "GITLAB_CI" => "1", "LANG" => "C", "PWD" => "/", "OLDPWD" => "/", "SHLVL" => "9",
        "PATH" => "/usr/bin:/bin"
      }.freeze

      def test_another_terminal_another_folder_and_inside_of_bundle_exec
        scene("File.read('f'); Dir['sub/*'].size; ENV['SOME']")
        evaluate
        SAME.each do |key, value|
          @env[key] = value
          assert recall, key
        end
        Dir.chdir("/") { assert recall }
        @env["BUNDLE_GEMFILE"] = path("Gemfile")
        assert recall, "BUNDLE_GEMFILE"
        script = "puts Marshal.dump(ENV.to_h).unpack1('H*')"
        inside = IO.popen(
          [@env, RbConfig.ruby, "-rbundler/setup", "-e", script, { chdir: path("."), unsetenv_others: true }], &:read
        )
        @env = Marshal.load([inside].pack("H*")) # rubocop:disable Security/MarshalLoad -- this test's own
        assert_match(/setup/, @env["RUBYOPT"])
        assert recall, "inside of bundle exec"
        File.write(path("sub/y"), "")
        assert_nil recall
      end

      def set(name) = @env[name] = "other"

      # RUBY_DESCRIPTION contains the JIT of this run. No other recorded input depends on it.
      def test_how_this_ruby_describes_itself
        app("RUBY_DESCRIPTION\n")
        assert_match(/RUBY_DESCRIPTION/, evaluate.volatile.join)
        assert_nil recall
      end

      # Two Rubies of one version may be configured differently.
      def test_how_this_ruby_was_configured
        app("RbConfig::CONFIG['configure_args']\n")
        evaluate
        record = Check.records(@store, @location, settings).first
        assert_includes Fingerprint.describe(record.head[:fingerprint])[:file], Util::Ruby.config_path
      end

      private

      # The output of a Ruby program in the environment of this test.
      def child(code)
        script = "require 'spate'; include Spate; location = Gemfile.find(ARGV[0]); known = { location: location, " \
                 "settings: Settings.load(root: location.root), store: Store.open(home: ARGV[1]) }; #{code}"
        IO.popen([@env, RbConfig.ruby, "-I#{File.expand_path("../../lib", __dir__)}", "-e", script, path("."),
                  File.join(folder, "spate"), { unsetenv_others: true }], &:read)
      end

      # The result of the block (a String), run as a user with limited permissions.
      def unprivileged(&block)
        return block.call unless Process.uid.zero?

        FileUtils.chown_R(65_534, 65_534, folder)
        read, write = IO.pipe
        pid = fork do
          [Process::GID, Process::UID].each { |kind| kind.change_privilege(65_534) }
          write << begin
            block.call
          rescue StandardError => e
            e.full_message
          end
          write.close
          exit!(0)
        end
        write.close
        Process.wait(pid)
        read.read
      end

      # Runs the command after the evaluation and before the Gemfile check is stored.
      def meanwhile(command)
        keep = Check.method(:keep)
        change = -> { assert system(command, chdir: path(".")) }
        Check.define_singleton_method(:keep) do |*words, **known|
          change.call
          keep.call(*words, **known)
        end
        yield
      ensure
        Check.define_singleton_method(:keep, keep)
      end

      def scene(line)
        app("#{line}\n")
        write("app/f", "x")
        write("app/g", "x")
        write("app/lib.rb", "LIB = 1\n")
        write("app/sub/one", "")
        write("app/sub2/one", "other")
        FileUtils.ln_sf("f", path("link"))
        FileUtils.ln_s("sub", path("to"), force: true) unless File.symlink?(path("to"))
        commit if line.include?("git ")
      end
    end
  end
end
