# frozen_string_literal: true

require "boot/exec_case"
require "spate/tracer"

module Spate
  module Boot
    # The builder that `spate exec` starts evaluates the Gemfile after the boot, when it may have changed. The builder
    # must change no file of the user, even if the Gemfile tries to.
    class ReadOnlyTest < ExecCase
      # Loaded into every Ruby. Holds the first traced evaluation of the Gemfile until the test closes the FIFO.
      GATE = <<~'RUBY'
        File.read("#{__dir__}/gate") if ENV["SPATE_TRACER_SOCKET"] && !File.exist?("#{__dir__}/passed")
      RUBY
      # Loaded before the Ruby that evaluates the Gemfile is traced.
      PRELOADED = <<~'RUBY'
        begin
          File.write("#{Dir.home}/preloaded", "x") if $0.end_with?("/gemfile/child/main.rb")
        rescue SystemCallError
          nil
        end
      RUBY
      # Each line writes something when it is evaluated.
      HOSTILE = <<~'RUBY'.lines(chomp: true).freeze
        File.write("#{__dir__}/made", "x")
        File.write("#{Dir.home}/made", "x")
        Dir.mkdir("#{__dir__}/tmp")
        File.delete("#{__dir__}/Gemfile.lock")
        File.truncate("#{__dir__}/Gemfile.lock", 0)
        File.chmod(0, "#{__dir__}/Gemfile.lock")
        File.open("#{__dir__}/Gemfile.lock") { |file| file.chmod(0) }
        File.utime(1, 1, "#{__dir__}/Gemfile.lock")
        File.rename("#{__dir__}/Gemfile.lock", "#{Dir.home}/lock")
        File.link("#{__dir__}/Gemfile.lock", "#{Dir.home}/lock")
        File.symlink("x", "#{__dir__}/link")
        Bundler.settings.set_local(:jobs, "3")
        Bundler.settings.set_global(:jobs, "3")
        system("echo x > '#{__dir__}/made'; rm '#{__dir__}/Gemfile.lock'")
        Process.detach(spawn("setsid sh -c 'echo x > #{__dir__}/made' &"))
        system("git", "init", __dir__, out: File::NULL, err: File::NULL)
        Process.wait(fork { File.write("#{__dir__}/made", "x") })
        ENV["BUNDLE_APP_CONFIG"] = "#{Dir.home}/config"; Bundler.settings.set_local(:jobs, "3")
        ENV["PATH"] = "#{__dir__}/bin:#{ENV.fetch("PATH")}"; gem "written", path: "written"
      RUBY
      # A gemspec that writes a file and lists its files with `git ls-files`. The first `git` on the PATH is GIT, which
      # writes and deletes files, too.
      WRITTEN = <<~'RUBY'
        begin
          File.write("#{__dir__}/made", "x")
        rescue SystemCallError
          nil
        end
        files = `git ls-files`.split("\n")
      RUBY
      GIT = <<~SH
        #!/bin/sh
        echo x > "$(dirname "$0")/../made"
        rm -f "$(dirname "$0")/../Gemfile.lock"
        echo lib/written.rb
      SH

      def setup
        super
        skip Tracer.available? unless Tracer.available? == true
        write("outside/gate.rb", GATE)
        File.mkfifo("#{folder}/outside/gate")
      end

      def test_lockfile_stays_when_the_gemfile_changes_before_it_is_evaluated
        write("app/other/other.gemspec", GEMSPEC.gsub("local", "other"))
        lockfile = File.binread(project.path("Gemfile.lock"))
        meanwhile { append("gem 'other', path: 'other'") }

        assert_equal lockfile, File.binread(project.path("Gemfile.lock"))
        output, status = project.spate("install", "--frozen")
        assert_equal 4, status.exitstatus, output
        assert_match(/the Gemfile adds other/, output)
        status = project.spate!("boot", "status")
        assert_match(%r{replay .*or Bundler would write .*/Gemfile.lock$}, status)
        assert_match(/built for another Gemfile/, status)
      end

      def test_no_file_changes_when_the_gemfile_writes
        write("app/written/written.gemspec", WRITTEN + GEMSPEC.gsub("local", "written"))
        write("app/bin/git", GIT, mode: 0o755)
        before = nil
        meanwhile do
          HOSTILE.each { |line| append("begin; #{line}; rescue StandardError; 1; end") }
          before = state
        end

        assert_equal before, state
        assert_match(/replay .*or Bundler would write/, project.spate!("boot", "status"))
      end

      def test_application_boots_when_the_gemfile_fails_because_it_cannot_write
        meanwhile { append(HOSTILE.first) }
        refute_path_exists project.path("made")
        assert_match(%r{replay .*Read-only file system.* would write .*/made}, project.spate!("boot", "status"))
        output, status = spate_exec("ruby", "-e", "require 'local'; puts Local.answer")
        assert_predicate status, :success?, output
        assert_equal "42\n", output
        assert_path_exists project.path("made"), "`bundle exec` writes it, too"
      end

      # The command boots the application to find out the result.
      def test_explain_writes_no_lockfile
        write("app/other/other.gemspec", GEMSPEC.gsub("local", "other"))
        append("gem 'other', path: 'other'")
        before = state
        output, status = project.spate("boot", "explain", "local")
        refute_predicate status, :success?
        assert_match(/Read-only file system.*Gemfile.lock/m, output)
        assert_equal before, state
      end

      def test_library_of_rubyopt_cannot_write
        skip "no Landlock" unless confined?
        write("outside/gate.rb", PRELOADED + GATE)
        meanwhile { nil }
        refute_path_exists "#{project.home}/preloaded"
        assert_match(/replay +replaces/,
                     project.spate!("boot", "status", RUBYOPT: "-r#{folder}/outside/gate.rb"))
      end

      private

      def confined?
        _, status = Process.wait2(fork { exit!(Native::Tracer.confine) })
        status.success?
      end

      def append(line) = File.write(project.path("Gemfile"), "#{File.read(project.path("Gemfile"))}#{line}\n")

      # Boots, runs the block before the Gemfile is evaluated in the background, and waits for that evaluation to end.
      def meanwhile
        output, status = spate_exec("ruby", "-e", "require 'local'", SPATE_BOOT_BACKGROUND: "1",
                                                                     RUBYOPT: "-r#{folder}/outside/gate.rb")
        assert_predicate status, :success?, output
        File.open("#{folder}/outside/gate", "w") do
          yield
          write("outside/passed", "")
        end
        wait { cache && unlocked? }
      end

      # All files of the application and of HOME, except Spate's folder and hidden files of HOME.
      def state
        Dir.glob("{app,home}/**/*", File::FNM_DOTMATCH, base: folder).sort.filter_map do |path|
          info = File.lstat("#{folder}/#{path}")
          next if path.match?(%r{\Ahome/(?:spate|\.)(?:/|\z)})

          [path, info.ino, info.mode, info.mtime, (File.binread("#{folder}/#{path}") if info.file?)]
        end
      end
    end
  end
end
