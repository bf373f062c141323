# frozen_string_literal: true

require_relative "bundle_case"

module Spate
  module Boot
    # A program with a gem from git gets the same results with the Bundler replay as with Bundler. The replay is invalid
    # when the revision has changed.
    class GitTest < BundleCase
      GEMSPEC = <<~'RUBY'
        require_relative "lib/branch/version"
        Gem::Specification.new do |spec|
          spec.name = "branch"
          spec.version = Branch::VERSION
          spec.summary = "branch"
          spec.authors = ["nobody"]
          spec.files = `git ls-files -z`.split("\0")
          spec.executables = spec.files.grep(%r{\Aexe/}) { |file| File.basename(file) }
          spec.bindir = "exe"
        end
      RUBY
      PROGRAM = <<~RUBY
        require "branch"
        spec = Gem.loaded_specs["branch"]
        puts Branch::VERSION, $LOAD_PATH.grep(/branch/), spec.full_name, spec.full_gem_path, spec.executables,
             spec.files, Gem.bin_path("branch", "branch"), Bundler.definition.specs.map(&:full_name),
             spec.git_version, Bundler.load.specs.to_a.size
      RUBY

      def setup
        super
        { "branch.gemspec" => GEMSPEC, "lib/branch.rb" => "require \"branch/version\"\n",
          "lib/branch/version.rb" => "module Branch\n  VERSION = \"1.0\"\nend\n",
          "exe/branch" => "#!/usr/bin/env ruby\n" }.each { |path, text| write("repository/#{path}", text) }
        git("init", "--quiet")
        commit
        @app = TestProject.new("#{folder}/app", "gem \"branch\", git: \"#{folder}/repository\"\n")
        @app.run!("bundle", "install")
      end

      def test_all_answers_equal_bundlers
        assert_equal run_with(nil, "-e", PROGRAM, app: @app), run_with(make(@app), "-e", PROGRAM, app: @app)
      end

      def test_inputs_of_a_git_gem
        bytes = make(@app)

        assert_equal true, usable?(bytes)
        changed(bytes, "branch.gemspec", "#")
        # Bundler replaced the gemspec with its evaluated form, so the files that it read are no longer inputs.
        File.write("#{checkout}/lib/branch/version.rb", "#", mode: "a")
        assert_equal true, usable?(bytes)
        another_revision
        refute_equal true, usable?(bytes)
        assert_equal run_with(nil, "-e", PROGRAM, app: @app), run_with(make(@app), "-e", PROGRAM, app: @app)
      end

      def test_missing_checkout
        bytes = make(@app)
        FileUtils.rm_rf(checkout)

        assert_match(/gone/, usable?(bytes))
        assert_match(/not yet checked out|Bundler/, usable?(make(@app)))
      end

      private

      def usable?(bytes) = Record.new(bytes).usable?(ENV.to_h.merge(@app.env).compact)

      def changed(bytes, file, more)
        path = "#{checkout}/#{file}"
        before = File.read(path)
        File.write(path, before + more)

        assert_match(/#{file} changed/, usable?(bytes))
        File.write(path, before)
        assert_equal true, usable?(bytes)
      end

      def another_revision
        write("repository/lib/branch/version.rb", "module Branch\n  VERSION = \"2.0\"\nend\n")
        commit
        @app.run!("bundle", "update", "--quiet", "branch")
      end

      def checkout = Dir.glob("#{folder}/app/**/bundler/gems/repository-*").max_by { |path| File.mtime(path) }

      def commit
        git("add", ".")
        git("-c", "user.name=tester", "-c", "user.email=tester@localhost", "commit", "--quiet", "-m", "more")
      end

      def git(*words) = system("git", *words, chdir: "#{folder}/repository", exception: true)
    end
  end
end
