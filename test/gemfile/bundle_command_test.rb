# frozen_string_literal: true

require "test_helper"
require "open3"
require "socket"

module Spate
  module Gemfile
    class BundleCommandTest < Minitest::Test
      def setup
        @env = ENV.to_h.reject { |key, _| key.start_with?("BUNDLE") }.merge("HOME" => folder)
      end

      # An application whose only gem is in its own folder, so that no source is queried.
      def app(dependency = "")
        write("app/own/own.gemspec", <<~RUBY)
          Gem::Specification.new do |spec|
            spec.name = "own"
            spec.version = "1.0.0"
            spec.authors = ["one"]
            spec.summary = "own"
          end
        RUBY
        write("app/Gemfile", "gem 'own', path: 'own'\n#{dependency}")
        Gemfile.find(File.join(folder, "app"), @env)
      end

      def settings(location, **flags) = Settings.load(root: location.root, env: @env, flags: flags)

      def store = Store.open(home: File.join(folder, "spate"))

      def test_bundler_makes_the_lockfile_and_then_agrees
        location = app
        before = Check.evaluate(location: location, settings: settings(location), store: store)
        assert_equal "there is no lockfile", before.difference
        BundleCommand.lock(location, settings(location))
        assert_match(/own \(1\.0\.0\)/, File.read(location.lockfile))
        assert_predicate Check.evaluate(location: location, settings: settings(location), store: store), :agrees?
      end

      def test_failed_resolution_is_reported
        location = app("gem 'surely_not_there', path: 'own'\n")
        error = assert_raises(BundlerFailed) { BundleCommand.lock(location, settings(location)) }
        assert_equal 5, error.exit_code
        assert_match(/check name and version/, error.hint)
        assert_match(/surely_not_there/, error.details.join(" "))
        assert_match(/\ABundler could not resolve: `bundle lock` ended with status/, error.message)
      end

      # SIGINT is sent as soon as this script or Bundler's executable has installed its handler.
      def test_ctrl_c_while_bundler_loads_prints_nothing
        hook = write("hook.rb", <<~RUBY)
          left = Integer(ENV["TRAPS"])
          TracePoint.trace(:c_return) do |point|
            Process.kill(:INT, $$) && sleep(0.2) if point.method_id == :trap && (left -= 1).zero?
          end
        RUBY
        %w[1 2].each do |traps|
          said, status = Open3.capture2e({ **@env, "TRAPS" => traps }, Util::Ruby.path, "-r#{hook}",
                                         BundleCommand::SCRIPT, "config")
          assert_equal ["", false], [said, status.success? || false]
        end
      end

      # After the first line of the error, Bundler lists every existing version.
      def test_a_long_error_keeps_its_first_lines
        location = app
        write("app/Gemfile", "STDOUT.puts (1..30).map { |n| \"fetched \#{n}\" }\n" \
                             "warn 'Could not find it', (1..40).map { |n| \"* own-\#{n}\" }\nSTDOUT.flush\nexit! 7\n")
        error = assert_raises(BundlerFailed) { BundleCommand.lock(location, settings(location)) }
        assert_equal ["fetched 1", "fetched 2", "(27 lines left out)", "fetched 30", "Could not find it", "* own-1"],
                     error.details.first(6)
        assert_equal ["* own-13", "(22 lines left out)", "* own-36"], error.details[17, 3]
        assert_equal [24, "* own-40"], [error.details.length, error.details.last]
      end

      def test_exit_code_and_hint_depend_on_bundlers_reason
        closed = Socket.new(:INET, :STREAM).tap { |socket| socket.bind(Addrinfo.tcp("127.0.0.1", 0)) } # does not listen
        port = closed.local_address.ip_port
        {
          "source 'http://127.0.0.1:#{port}'\ngem 'rack'\n" => [6, /check the network/],
          "gem 'own\n" => [4, /fix the Gemfile/],
          "gem 'gone', path: 'nowhere'\n" => [5, /check the `path`/],
          "gem 'gone', git: 'file:///nowhere.git'\n" => [13, /git ls-remote/]
        }.each do |lines, (code, hint)|
          location = app(lines)
          settings = settings(location, retry: 0)
          error = assert_raises(BundlerFailed, lines) { BundleCommand.lock(location, settings) }
          assert_equal code, error.exit_code, error.details.join("\n")
          assert_match hint, error.hint, error.details.inspect
        end
      ensure
        closed&.close
      end

      def test_statuses_without_a_bundler
        asks = "Authentication is required for localhost.\nPlease supply credentials for this source."
        conflict = "c was resolved to 1.0, which depends on\n  b (= 1.0)"
        ruby = "d was resolved to 1.0, which depends on\n  Ruby  (>= 99)\nCurrent Ruby\u0000 version:"
        expected = { [17, asks] => [6, /credentials/], [6, conflict] => [5, /loosen/], [6, ruby] => [5, /matching/],
                     [18, ""] => [15, /Ruby/], [1, ""] => [5, nil], ["pid 1 SIGKILL (signal 9)", ""] => [5, nil] }
        expected.each do |(status, output), (code, hint)|
          error = BundlerFailed.new(["lock"], status, output.lines(chomp: true))
          assert_equal code, error.exit_code, output
          hint ? assert_match(hint, error.hint) : assert_nil(error.hint)
        end
      end

      def test_a_frozen_bundle_is_not_resolved
        location = app
        error = assert_raises(Disagreement) do
          BundleCommand.lock(location, settings(location, frozen: true), difference: ["the Gemfile adds puma"])
        end
        assert_equal 4, error.exit_code
        assert_equal ["the Gemfile adds puma"], error.details
        refute_path_exists location.lockfile
      end

      def test_output_and_status
        location = app
        assert_match(/\A(Bundler version )?\d/, BundleCommand.capture(%w[version], location, settings(location)))
        status = Dir.chdir(location.root) { quietly { BundleCommand.run(%w[no-such-command], env: @env) } }
        assert_equal 15, status
      end

      def test_a_gemfile_that_bundler_would_not_find_itself
        location = app
        FileUtils.mv(location.gemfile, File.join(location.root, "Gemfile.next"))
        location = Gemfile.find(location.root, @env, gemfile: "Gemfile.next")
        BundleCommand.lock(location, settings(location))
        assert_path_exists File.join(location.root, "Gemfile.next.lock")
      end

      def test_environment_of_an_outer_bundle_is_not_passed_on
        env = { "PATH" => "/bin", "RUBYOPT" => "-W0 -r/gems/bundler/lib/bundler/setup", "BUNDLE_GEMFILE" => "/other",
                "BUNDLER_ORIG_BUNDLE_GEMFILE" => "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL",
                "BUNDLER_ORIG_GEM_HOME" => "/gems", "GEM_HOME" => "/bundle" }
        assert_equal({ "PATH" => "/bin", "RUBYOPT" => "-W0", "GEM_HOME" => "/gems" }, Util::Environment.clean(env))
        assert_equal({ "RUBYOPT" => "-w" }, Util::Environment.clean({ "RUBYOPT" => "-w" }))
        assert_equal({}, Util::Environment.clean({ "RUBYOPT" => "-rbundler/setup" }))
      end

      def quietly
        kept = [$stdout.dup, $stderr.dup]
        [$stdout, $stderr].each { |stream| stream.reopen(File::NULL) }
        yield
      ensure
        [$stdout, $stderr].zip(kept) { |stream, old| stream.reopen(old) }
      end
    end
  end
end
