# frozen_string_literal: true

require "boot/bundler_replay/bundle_case"

module Spate
  module Boot
    # Recorder makes no Bundler replay of a Gemfile whose inputs cannot be recorded. It then records the reason.
    class RecorderTest < BundleCase
      REFUSED = {
        "`true`" => /runs `true`/, "system('true')" => /runs `true`/, "IO.popen('true').close" => /runs `true`/,
        "Process.wait(spawn('true'))" => /runs `true`/,
        "require 'socket'; TCPServer.new('127.0.0.1', 0).close" => /opens a socket/,
        "require 'socket'; Addrinfo.getaddrinfo('localhost', 80)" => /calls Addrinfo.getaddrinfo/,
        "require 'socket'; Socket.gethostname" => /calls Socket.gethostname/,
        "require 'socket'; IPSocket.getaddress('localhost')" => /calls IPSocket.getaddress/,
        "Time.now" => /calls Time.now/, "Process.clock_gettime(1)" => /calls Process/, "rand" => /calls Kernel#rand/,
        "require 'date'; Date.today" => /calls Date|today/, "Random.rand(2)" => /calls Random/,
        "File.write('x', 'y') rescue 1" => %r{would write .*/x}, "File.write('x', 'y')" => %r{would write .*/x},
        "puts 'hello'" => /prints/,
        "::Thing = 1" => /defines Thing/, "raise 'no'" => /no/, "exit" => /exit|does not run/,
        "gem 'missing'" => /missing/, "gem 'plain', '2.0'" => /plain/, "ENV.to_h" => /calls ENV.to_h/,
        "require 'etc'; Etc.getlogin" => /calls Etc/, "Process.uid" => /calls Process/,
        "ENV.except('A')" => /calls ENV/, "ENV.size" => /calls ENV/, "at_exit { 1 }" => /calls Kernel#at_exit/,
        "trap('USR2') { 1 }" => /calls Kernel#trap/,
        "gem 'plain' if $PROGRAM_NAME =~ /x/" => /which program/, "ARGV.first" => /which program/,
        "begin; nil.x; rescue NoMethodError; ARGV.first; end" => /which program/,
        "begin; raise 'x'; rescue => e; e.backtrace.last; end" => /its caller/,
        "1 if $VERBOSE" => /how Ruby was started/, "$stdout.tty?" => /output goes/, "$mine = 1" => /global/,
        "Encoding.default_external" => /encoding/, "File.umask(0)" => /umask/, "Dir.chdir('engines')" => /folder/,
        "x = 1 if defined?(JSON)" => /what is defined/, "x = 1 if defined? ::JSON" => /what is defined/,
        "1 if Object.const_defined?(:JSON)" => /what is defined/, "Object.constants" => /what is defined/,
        "1 if $LOADED_FEATURES.grep(/json/).any?" => /files are loaded/, "x = $\".size" => /files are loaded/,
        "begin; Rails; rescue NameError; 1; end" => /what is defined/, "END { 1 }" => /program's end/,
        "'x'.blank? rescue 1" => /what is defined/, "eval('END { 1 }')" => /program's end/,
        "plugin 'some'" => /some/, "gem 'rake', env: 'X'" => /environment key|rake/
      }.freeze

      REFUSED.each do |line, reason|
        define_method("test_never_for_#{line.gsub(/\W+/, "_")}") do
          bytes = make_with(line)

          assert_match reason, Record.new(bytes).usable?(env).to_s
          assert_nil Record.new(bytes).contents
        end
      end

      def test_gemfile_without_an_unsupported_line
        bytes = make_with("# nothing")

        assert_equal true, Record.new(bytes).usable?(env)
        gem = Record.new(bytes).contents.last.find { |folder, _| folder.end_with?("/plain-1.0") }
        assert_equal ["#{gem[0]}/lib"], gem[1]
        assert_includes Record.new(bytes).contents.first, gem[1][0]
      end

      def test_same_run_yields_the_gemfile_check
        location = Gemfile.find(project.folder, env)
        known = { location: location, settings: Settings.load(root: location.root, env: env),
                  store: Store.open(home: File.join(folder, "spate")) }
        recall = -> { Gemfile::Check.recall(**known) }
        assert_nil recall.call
        Gemfile::Setup::Recorder.new(*known.values).call
        assert_predicate recall.call, :agrees?
        File.write(path = project.path(".ruby-version"), "other\n")
        assert_nil recall.call
      ensure
        File.write(path, "any\n") if path
      end

      def test_gemfile_edited_during_evaluation
        path = project.path("more.rb")
        held = write("held", "")
        editor = Thread.new do
          sleep 0.01 until Dir.glob("/proc/[0-9]*/fd/*").any? { |descriptor| File.identical?(descriptor, held) }
          File.write(path, "# other\n")
        end
        record = Record.new(make_with("File.open('#{held}') { sleep 1.5 }"))
        editor.join

        assert_equal "#{path} changed in the meantime", record.refused
        refute_equal true, record.usable?(env)
      ensure
        File.write(path, "# nothing\n")
      end

      # `git checkout`, for example, may replace the lockfile without Bundler noticing.
      def test_lockfile_that_is_replaced_after_bundler_read_it
        path = project.path("Gemfile.lock")
        text = File.binread(path)
        record = replaced_after_evaluation(path, text.sub("hammer (1.0)", "hammer (2.0)")) { Record.new(make) }
        assert_equal "#{path} changed in the meantime", record.refused
        assert record.outdated?(env), "another attempt is allowed"
        assert_equal text.sub("hammer (1.0)", "hammer (2.0)"), File.binread(path)
      ensure
        File.binwrite(path, text)
      end

      def test_defined_may_be_called_where_the_answer_is_the_same
        line = "1 if defined?(JRUBY_VERSION) || defined?(Bundler::Dsl) || defined?(@there) || defined?(RUBY_ENGINE)"
        assert_equal true, Record.new(make_with(line)).usable?(env)
      end

      def test_the_time_zone
        ["ENV['TZ']", "Time.local(2020).to_i", "Time.at(0).hour"].each do |line|
          bytes = make_with(line)
          assert_equal true, Record.new(bytes).usable?(env), line
          assert_equal "TZ has changed", Record.new(bytes).usable?(env.to_h.merge("TZ" => "Asia/Tokyo")), line
        end
      end

      # { line of the Gemfile => a later change of the file }
      STATES = {
        "File.size?('f')" => ->(path) { File.write(path, "longer") },
        "Pathname('f').zero?" => ->(path) { File.write(path, "longer") },
        "File::Stat.new('f').size" => ->(path) { File.write(path, "longer") },
        "test(?e, 'f')" => ->(path) { File.unlink(path) },
        "File.mtime('f')" => ->(path) { File.utime(1, 1, path) },
        "File.executable?('f')" => ->(path) { File.chmod(0o755, path) },
        "File.symlink?('f')" => ->(path) { File.rename(path, "#{path}2") && File.symlink("#{path}2", path) },
        "File.realpath('f')" => ->(path) { File.rename(path, "#{path}2") && File.symlink("#{path}2", path) }
      }.freeze

      STATES.each do |line, change|
        define_method("test_change_is_noticed_after_#{line.gsub(/\W+/, "_")}") do
          path = project.path("f")
          File.write(path, "")
          bytes = make_with("require 'pathname'; #{line}; __FILE__ == $0")
          assert_equal true, within(project.folder) { Record.new(bytes).usable?(env) }
          change.call(path)
          assert_match(/changed|is gone|has another type|has other permissions|has another time/,
                       within(project.folder) { Record.new(bytes).usable?(env) }.to_s)
        ensure
          FileUtils.rm_f([path, "#{path}2"])
        end
      end

      ["Dir.pwd", "File.exist?('f')", "File.expand_path('f')", "Dir['x*']"].each do |line|
        define_method("test_the_folder_that_the_program_runs_in_#{line.gsub(/\W+/, "_")}") do
          bytes = make_with(line)
          assert_equal true, within(project.folder) { Record.new(bytes).usable?(env) }
          assert_match(/another folder than/, within(project.path("engines")) { Record.new(bytes).usable?(env) }.to_s)
          refute(within(project.path("engines")) { Record.new(bytes).outdated?(env) })
        end
      end

      # The refusal is outdated as soon as the refused line is removed.
      def test_refusal_depends_on_the_gemfile
        bytes = make_with("Time.now")
        record = -> { Record.new(bytes) }

        assert_match(/Time/, record.call.refused)
        refute record.call.outdated?(env)
        File.write(@now[0], @now[1])
        assert record.call.outdated?(env), "the line is gone"
      end

      def test_settings_that_install_automatically
        assert_match(/install by itself/, usable?(make(project, BUNDLE_AUTO_INSTALL: "true")))
      end

      private

      def within(folder, &) = Dir.chdir(folder, &)

      def replaced_after_evaluation(path, text)
        original = Gemfile::Observation.instance_method(:call)
        Gemfile::Observation.define_method(:call) do |**options|
          original.bind_call(self, **options).tap do
            File.write("#{path}.new", text)
            File.rename("#{path}.new", path)
          end
        end
        yield
      ensure
        Gemfile::Observation.define_method(:call, original)
      end

      def make_with(line)
        path = project.path("Gemfile")
        before = File.read(path)
        File.write(path, "#{before}#{line}\n")
        make
      ensure
        written = File.stat(path).mtime
        @now = [path, before, written]
      end

      def teardown
        File.write(@now[0], @now[1]) if @now
        super
      end
    end
  end
end
