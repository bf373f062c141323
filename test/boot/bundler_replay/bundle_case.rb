# frozen_string_literal: true

require "test_helper"
require "json"
require "support/project"
require_relative "../../../benchmark/support/peers"
require "spate/native/boot"
require "spate/boot/entry"

module Spate
  module Boot
    # A bundle of small gems. The real Bundler installs it from a local gem source, once for all tests of a process.
    class BundleCase < Minitest::Test
      Record = Gemfile::Setup::Record
      GEMFILE = <<~'RUBY'
        source "__SOURCE__"
        eval_gemfile "more.rb"
        ruby_version = File.exist?("#{__dir__}/.ruby-version") && File.read("#{__dir__}/.ruby-version")
        gem "plain"
        gem "two-parts"
        gem "native"
        gem "rake"
        gem "special", require: ["special/one", "special/two"]
        gem "silent", require: false
        gem "elsewhere", platforms: :jruby
        group(:tools) { gem "hammer", ENV["HAMMER"] == "new" ? "2.0" : "1.0" }
        Dir.glob("engines/*", base: __dir__).sort.each { |engine| gem File.basename(engine), path: engine }
      RUBY
      GEMSPEC = <<~RUBY
        require_relative "lib/local/version"
        Gem::Specification.new do |spec|
          spec.name = "local"
          spec.version = Local::VERSION
          spec.summary = "local"
          spec.authors = ["nobody"]
          spec.files = Dir.chdir(File.expand_path(__dir__)) { Dir["lib/**/*"].reject { |path| File.directory?(path) } }
        end
      RUBY

      class << self
        # The installed TestProject. It is removed when the process ends.
        def project
          BundleCase.instance_eval { @project ||= install }
        end

        private

        def install
          place = Dir.mktmpdir("spate-replay-")
          source = GemSource.start
          Minitest.after_run { source.stop && FileUtils.rm_rf(place) }
          gems(source)
          project = TestProject.new("#{place}/app", GEMFILE.sub("__SOURCE__", source.url))
          files(project)
          project.run!("bundle", "install")
          project
        end

        def gems(source)
          source.add("plain", "1.0", executables: ["plain"], dependencies: { "below" => ">= 1" })
          source.add("below", "1.1")
          source.add("two-parts", "1.0", files: { "lib/two/parts.rb" => "module TwoParts; end\n" })
          source.add("native", "1.0", native: true)
          source.add("special", "1.0", files: { "lib/special/one.rb" => "$special = [1]\n",
                                                "lib/special/two.rb" => "$special << 2\n" })
          source.add("silent", "1.0")
          source.add("elsewhere", "1.0")
          %w[1.0 2.0].each { |version| source.add("hammer", version, executables: ["hammer"]) }
          source.add("unrelated", "1.0")
          source.add("rake", "99.0", executables: ["rake"])
        end

        def files(project)
          { "more.rb" => "# nothing\n", ".ruby-version" => "any\n", "engines/local/local.gemspec" => GEMSPEC,
            "engines/local/lib/local.rb" => "module Local; end\n",
            "engines/local/lib/local/version.rb" => "module Local\n  VERSION = \"1.0\"\nend\n" }.each do |path, text|
            FileUtils.mkdir_p(File.dirname(project.path(path)))
            File.write(project.path(path), text)
          end
        end
      end

      private

      def project = BundleCase.project

      # The environment of a child process of this project.
      def env(**extra) = ENV.to_h.merge(project.env, extra.transform_keys(&:to_s)).compact

      def make(app = project, **extra)
        environment = ENV.to_h.merge(app.env, extra.transform_keys(&:to_s)).compact
        location = Gemfile.find(app.folder, environment)
        Gemfile::Setup::Recorder.new(location, Settings.load(root: location.root, env: environment)).call.bytes
      end

      # The project's record. A new one is made only if an input has changed.
      def record
        kept = BundleCase.instance_variable_get(:@record)
        return kept if kept && usable?(kept) == true

        BundleCase.instance_variable_set(:@record, make)
      end

      def usable?(bytes, **extra) = Record.new(bytes).usable?(env(**extra))

      # The output of a program set up by Bundler, or by the Bundler replay if `bytes` is given.
      def run_with(bytes, *arguments, app: project, **extra)
        return app.run!("ruby", "-rbundler/setup", *arguments, **extra) unless bytes

        path = File.join(folder, "replay.bin")
        File.binwrite(path, bytes)
        app.run!("ruby", "-r#{File.expand_path("activate.rb", __dir__)}", *arguments, REPLAY: path, **extra)
      end

      # The output of a program: [with Bundler, with the Bundler replay].
      def both(script, **extra)
        [run_with(nil, "-e", script, **extra), run_with(record, "-e", script, **extra)]
      end

      def assert_same_output(script, **extra)
        real, ours = both(script, **extra)
        assert_equal(real, ours)
        real
      end
    end
  end
end
