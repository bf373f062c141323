# frozen_string_literal: true

require_relative "bundle_case"

module Spate
  module Boot
    # Ways for a Gemfile to read the state of the machine or of its process. If such an input cannot be recorded, there
    # is no replay. test/gemfile/setup tests the inputs that are recorded.
    class TracingTest < BundleCase
      REFUSED = {
        "Time.new" => "Time", "Time.now" => "Time", "Time.utc(1).localtime" => "localtime",
        "require 'date'; DateTime.now" => "DateTime", "Date.today" => "Date",

        "Process.clock_gettime(0)" => "Process", "Process.times" => "Process.times", "File.umask" => "File.umask",
        "Process.getrlimit(0)" => "Process.getrlimit", "Process.getpgrp" => "Process.getpgrp",
        "Process.getpriority(0, 0)" => "Process.getpriority", "Process.groups" => "Process.groups",
        "Process.pid" => "Process", "$$ " => 'reads \$\$', "$stdin" => 'reads \$stdin', "$VERBOSE" => 'reads \$VERBOSE',
        "$-w" => 'reads \$-w', "$DEBUG" => 'reads \$DEBUG', "$*" => 'reads \$\*', "$-I" => 'reads \$-I',
        "$LOADED_FEATURES" => 'reads \$LOADED_FEATURES', "$FILENAME" => 'reads \$FILENAME', "$? " => 'reads \$\?',
        "alias $own $$ ; $own" => "set_variable_alias|reads",
        "require 'etc'; Etc.getpwuid" => "Etc", "Etc.nprocessors" => "Etc", "Etc.uname" => "Etc",
        "Etc.systmpdir" => "Etc.systmpdir", "Etc.sysconfdir" => "Etc.sysconfdir", "Etc.getgrgid(0)" => "Etc",
        "Etc.passwd" => "Etc.passwd", "Etc.sysconf(Etc::SC_NPROCESSORS_ONLN)" => "Etc.sysconf",
        "require 'socket'; Socket.gethostname" => "Socket.gethostname",
        "Socket.ip_address_list" => "Socket.ip_address_list",
        "Socket.getifaddrs" => "Socket.getifaddrs", "UNIXSocket.pair" => "UNIXSocket.pair", "IO.pipe" => "IO.pipe",
        "rand" => "random", "srand" => "random", "Random.rand" => "Random", "Random.new.rand" => "Random",
        "Random::DEFAULT.rand rescue Random.new_seed" => "Random", "[1, 2].shuffle" => "shuffle",
        "[1, 2].sample" => "sample", "require 'securerandom'; SecureRandom.hex" => "Random",
        "Object.new.hash" => "hash", "'x'.hash" => "hash", "Object.new.object_id" => "object_id",
        "Object.new.__id__" => "__id__", "Object.new.inspect" => "inspect", "Object.new.to_s" => "to_s",
        "ObjectSpace.count_objects" => "ObjectSpace.count_objects",
        "ObjectSpace.each_object(Class) { 1 }" => "each_object",
        "GC.stat" => "GC.stat", "GC.count" => "GC.count", "RubyVM.stat" => "RubyVM.stat",
        "RubyVM::InstructionSequence.compile_option" => "compile_option", "Thread.new { 1 }.join" => "Thread.new",
        "Thread.list" => "Thread.list", "fork { 1 }" => "runs",
        "IO.popen('true').close" => "runs .true", "%x(true)" => "runs .true", "system('true')" => "runs .true",
        "open('|true').close" => "runs .\\|?true", "IO.read('|true')" => "IO.read|runs|no such",
        "spawn('true')" => "runs .true",
        "require 'open3'; Open3.capture2('true')" => "runs .true",
        "Process.clock_getres(0)" => "Process.clock_getres", "Process.ppid" => "Process", "Process.euid" => "Process",
        "Process::Sys.getuid" => "Process::Sys.getuid", "Process::UID.rid" => "Process::UID.rid",
        "Signal.list" => "Signal.list", "trap('USR1', 'DEFAULT')" => "Kernel#trap", "at_exit { 1 }" => "at_exit",
        "caller" => "Kernel#caller", "caller_locations" => "caller_locations",
        "raise 'x' rescue $!.backtrace_locations" => "backtrace_locations",
        "begin; raise 'x'; rescue => e; e.backtrace.last; end" => "its caller",
        "begin; nil.x; rescue NoMethodError => e; e.send(:backtrace); end" => "its caller",
        "raise 'x' rescue $@.last" => "reads \\$@", "TOPLEVEL_BINDING.local_variables" => "inspects the process",
        "binding.local_variables; ARGV" => "which program", "ARGF.class; ARGF.argv" => "ARGF|which program",
        "$PROGRAM_NAME" => "which program", "$0" => "which program", "Encoding.default_external" => "Encoding",
        "Encoding.find('locale')" => "Encoding", "Encoding.locale_charmap" => "Encoding",
        "ENV.to_h" => "ENV.to_h", "ENV.inspect" => "ENV.inspect", "ENV.each { 1 }" => "ENV.each",
        "Hash[ENV.to_a]" => "ENV.to_a", "ENV.find { 1 }" => "Enumerable|ENV.each", "ENV.invert" => "ENV.invert",
        "Bundler.original_env" => "original_env", "Bundler.unbundled_env" => "unbundled_env",
        "Object.constants" => "constants", "Object.const_defined?(:JSON)" => "const_defined",
        "defined?(JSON)" => "defined",
        "Warning[:deprecated]" => "Warning", "File.mkfifo('fifo')" => "would write",
        "File.write('x', '')" => "would write",
        "File.new('x', 'w')" => "would write", "File.stat('.').ino; File.open('Gemfile').ctime" => "File#ctime",
        "File.open('Gemfile').flock(1)" => "File#flock", "IO.new(0)" => "IO#initialize", "IO.for_fd(0)" => "IO",
        "IO.select([], [], [], 0)" => "IO.select", "select([], [], [], 0)" => "Kernel#select",
        "STDIN.tty?" => "output goes|tty", "IO.console rescue require('io/console')" => "IO",
        "set_trace_func(nil)" => "set_trace_func",
        "TracePoint.stat" => "TracePoint", "method(:system).unbind.source_location" => "source_location",
        "require 'tmpdir'; Dir.tmpdir" => "Etc.systmpdir", "require 'tempfile'; Tempfile.new" => "writes|Random|calls",
        "require 'benchmark'; Benchmark.realtime { 1 }" => "Process",
        "require 'timeout'; Timeout.timeout(9) { 1 }" => "Thread|Process|calls"
      }.freeze

      # The lines do not affect each other, so one Gemfile contains all of them.
      def test_unrecorded_inputs_are_refused
        lines = REFUSED.keys.map { |line| "begin; #{line}\nrescue Exception; end" }
        reasons = made_with(lines.join("\n")) { |bytes| Record.new(bytes).refused.split("; ") }
        missed = REFUSED.reject { |_, reason| reasons.any? { |one| one.match?(reason) } }
        assert_empty missed, reasons.join("\n")
      end

      HARMLESS = <<~'RUBY'
        require "json"; require "yaml"; require "date"; require "set"; require "shellwords"; require "time"
        JSON.parse("{}"); JSON.generate([1]); YAML.safe_load("a: 1"); Date.parse("2020-01-01"); Set.new([1]).include?(1)
        Shellwords.split("a b"); Time.at(0).year; Time.utc(2020); [3, 1].sort.map(&:to_s).join(","); { a: 1 }.to_a
        "a-b".split("-").first.to_sym; File.join("a", File.basename("b/c", ".rb")); format("%02d", 1); Integer("1")
        Point = Struct.new(:x) unless (p = nil); Gem::Version.new("1.0") > Gem::Version.new("0.9")
        def own(*) = yield; own { Comparable }; [1].each_slice(1).to_a; (1..3).reduce(:+); :a <=> :b; 1.0.round
        class << self; def own2 = :x; end
        def own3 = block_given?; own3; own2; [ENV["A"], ENV.fetch("B", nil), ENV.key?("C")]; __dir__; __FILE__; RUBY_VERSION; RbConfig::CONFIG["arch"]
        begin; raise ArgumentError, "x"; rescue => e; e.message; end
        File.exist?("x") && File.read("x"); Dir["*.none"]; Dir.children("."); Dir.exist?("y"); Pathname("a").join("b").to_s
        File.open("Gemfile") { |file| file.each_line.first }; File.readlines("Gemfile").grep(/x/); 5.times.to_a
        Dir.chdir(__dir__) { Dir["lib/**/*"].reject { |path| File.directory?(path) } }
        YAML.load_file("engines/local/config.yml")
        ENV["OWN_ONE"] ||= "1"; catch(:x) { throw :x }; lambda { |x| x }.curry; $LOAD_PATH.include?("x"); "x" =~ /x/; $~; $1
      RUBY

      def test_harmless_calls_are_accepted
        File.write(project.path("engines/local/config.yml"), "a: 1\n")
        made_with(HARMLESS.sub(/^Point.*?; /, "")) do |bytes|
          assert_equal true, Dir.chdir(project.folder) { Record.new(bytes).usable?(env) }
        end
      end

      private

      def made_with(line)
        path = project.path("Gemfile")
        before = File.read(path)
        File.write(path, "#{before}#{line}\n")
        yield make
      ensure
        File.write(path, before)
      end
    end
  end
end
