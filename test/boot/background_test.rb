# frozen_string_literal: true

require "compile_cache/compile_cache_case"

module Spate
  module Boot
    class BackgroundTest < CompileCache::CompileCacheCase
      # The environment, including the locale, for which these compile caches are compiled.
      ENVIRONMENT = { "HOME" => "/nowhere", "PATH" => ENV.fetch("PATH"), "TERM" => "dumb",
                      **ENV.slice("LANG", "LC_ALL", "LC_CTYPE") }.freeze

      def setup
        @own = app_file("lib/a.rb", "puts 1\n")
        sleep 0.03
      end

      def test_boot_with_new_files_gets_compile_caches
        assert start([[@own, :miss]])
        wait_for { File.exist?(overlay_path) }
        assert_equal [@own], cache(overlay_path).paths
        assert cache(application_path)
        wait_for { File.read(log).include?("compiled") }
        assert_equal 1, CompileCache::Recording.load(caches.recording_path(location)).kinds.size
      end

      def test_folders_added_to_the_load_path_are_indexed
        assert start([[@own, :miss]])
        wait_for { File.exist?(application_path) && pid.nil? }
        refute_includes load_path_cache, File.dirname(@own)
        assert Background.start(location, [[@own, :hit]], caches: caches, env: ENVIRONMENT,
                                                          load_path: [File.dirname(@own)])
        wait_for { load_path_cache.include?(File.dirname(@own)) }
        wait_for { pid.nil? }
        inode = File.stat(application_path).ino
        assert Background.start(location, [[@own, :hit]], caches: caches, env: ENVIRONMENT,
                                                          load_path: [File.dirname(@own)])
        wait_for { File.read(log).lines.size == 3 }
        assert_equal inode, File.stat(application_path).ino, "existing compile caches are not rebuilt"
      end

      def test_builder_is_no_child_and_inherits_nothing
        held = File.open("#{folder}/held", "w")
        held.close_on_exec = false
        with_builder_at_work("RUBYOPT" => "-W0 -rbundler/setup", "BUNDLER_ORIG_RUBYOPT" => "-W0",
                             "BUNDLE_GEMFILE" => "/x",
                             "BUNDLER_ORIG_BUNDLE_GEMFILE" => Util::Environment::NOT_SET) do |pid|
          assert_raises(Errno::ECHILD) { Process.wait(-1, Process::WNOHANG) }
          stat = File.read("/proc/#{pid}/stat").split(") ").last.split
          refute_equal Process.pid, stat[1].to_i
          assert_equal pid, stat[3].to_i, "a separate session"
          assert_equal 19, stat[16].to_i, "niced"
          assert_equal 5, stat[38].to_i, "SCHED_IDLE"
          assert_equal "/", File.readlink("/proc/#{pid}/cwd")
          files = Dir.children("/proc/#{pid}/fd").to_h { |fd| [fd, File.readlink("/proc/#{pid}/fd/#{fd}")] }
          assert_equal ["/dev/null", log, log], files.values_at("0", "1", "2")
          assert_empty files.values.grep(/held/)
          environment = File.read("/proc/#{pid}/environ").split("\0")
          assert_includes environment, "RUBYOPT=-W0"
          assert_empty environment.grep(/\ABUNDLE/)
        end
      ensure
        held&.close
      end

      def test_second_builder_exits_quietly
        with_builder_at_work do
          assert start(nil), "after an install"
          wait_for { File.read(log).include?("busy=>true") || File.read(log).include?("busy: true") }
        end
      end

      def test_delay_grows_after_failed_builders
        other = CompileCacheFolder.new(caches.store_root, "0" * 32)
        attempts = Background::Attempts.new(other.attempts_path(location))
        [[0, true], [59, false], [61, true], [119, false], [121, true]].each do |seconds, started|
          age(attempts, seconds)
          assert_equal started, start([[@own, :miss]], caches: other), seconds
        end
        assert_equal 3, attempts.count
        wait_for { File.read(other.log_path(location)).scan("the builder runs another Ruby").size == 3 }
        60.times { attempts.add }
        assert_in_delta Background::Attempts::MOST, attempts.wait, 10
        File.utime(Time.now, Time.now + 3600, path_of(attempts))
        assert_equal 0, attempts.wait, "a clock that was set back"
      end

      def test_successful_builder_clears_the_failures
        caches.make
        attempts = Background::Attempts.new(caches.attempts_path(location)).tap(&:add)
        age(attempts, 61)
        assert start([[@own, :miss]])
        wait_for { attempts.count.zero? }
      end

      def test_log_is_truncated_when_it_is_long
        caches.make
        File.write(log, "old\n" * (Background::LOG_LIMIT / 3))
        assert start([[@own, :miss]])
        wait_for { File.read(log).include?("compiled") }
        assert_operator File.size(log), :<, 4096
      end

      def test_builder_does_not_start_when_forbidden
        { "SPATE_READONLY" => "1", "CI" => "true", "SPATE_BOOT_BACKGROUND" => "0" }.each do |name, value|
          refute start([[@own, :miss]], { name => value })
          refute_path_exists caches.folder
        end
        assert_nil Background.forbidden("CI" => "true", "SPATE_BOOT_BACKGROUND" => "1")
        assert_nil Background.forbidden("CI" => "false", "SPATE_READONLY" => "0")
      end

      def test_folder_of_another_user_is_not_used
        caches.make
        File.chmod(0o777, caches.folder)
        refute Background.start(location, [[@own, :miss]],
                                caches: CompileCacheFolder.new(caches.store_root), env: ENVIRONMENT)
      end

      private

      def load_path_cache = cache(application_path).data("load_path_cache")
      def log = caches.log_path(location)

      def start(recorded, env = {}, caches: self.caches)
        Background.start(location, recorded, caches: caches, env: ENVIRONMENT.merge(env))
      end

      def path_of(attempts) = attempts.instance_variable_get(:@path)

      # Moves the last start of a builder back by some seconds.
      def age(attempts, seconds)
        File.utime(Time.now, Time.now - seconds, path_of(attempts)) if attempts.count.positive?
      end

      # Yields the process ID of a builder that waits for a file to be read.
      def with_builder_at_work(env = {})
        File.mkfifo(fifo = "#{folder}/app/lib/fifo.rb")
        assert start([[@own, :miss], [fifo, :miss]], env)
        wait_for { pid }
        wait_for { worker?(pid) }
        yield pid
      ensure
        finish(fifo)
      end

      # The ID of the process that holds the lock, which is the builder; nil if there is none.
      def pid
        inode = File.stat(caches.lock_path(location)).ino
        File.readlines("/proc/locks").filter_map { |line| line.split[4].to_i if line.include?(":#{inode} ") }.first
      rescue Errno::ENOENT
        nil
      end

      def worker?(pid) = !File.read("/proc/#{pid}/task/#{pid}/children").empty?

      def finish(fifo)
        200.times do
          break unless pid

          File.open(fifo, File::WRONLY | File::NONBLOCK, &:close)
          sleep 0.02
        rescue Errno::ENXIO
          sleep 0.02
        end
      end

      def wait_for
        400.times { yield ? return : sleep(0.025) }
        flunk "waited in vain; the log: #{File.read(log) if File.exist?(log)}"
      end
    end
  end
end
