# frozen_string_literal: true

# rubocop:disable Layout/LineLength, Style/Semicolon, Style/RescueModifier, Style/RegexpLiteral, Security/Eval -- one observation a line

# Run by `rails runner` in a booted and in a forked command: prints what the process is like, as Marshal of a Hash of
# strings. Nothing here may change the process before it is observed.
observations = {}
see = lambda do |name, &block|
  observations[name] = block.call.inspect
rescue Exception => e # rubocop:disable Lint/RescueException
  observations[name] = "#{e.class}: #{e.message}"
end
status = File.read("/proc/self/status").lines.to_h { |line| line.chomp.split(":\t", 2) }
fds = Dir.children("/proc/self/fd").map(&:to_i).sort
kind = ->(target) { target.sub(/\[\d+\]/, "[N]") }

# ---- the process ----
see.call("pid and $$") { $$ == Process.pid }
see.call("session of the parent") { Process.getsid == Process.getsid(Process.ppid) }
see.call("umask") { File.umask }
see.call("nice") { Process.getpriority(Process::PRIO_PROCESS, 0) }
%i[AS CORE CPU DATA FSIZE MEMLOCK MSGQUEUE NICE NOFILE NPROC RSS RTPRIO RTTIME SIGPENDING STACK].each do |name|
  see.call("limit #{name}") { Process.getrlimit(name) }
end
%i[uid euid gid egid groups].each { |name| see.call(name.to_s) { Process.public_send(name) } }
%w[Umask State Groups SigPnd ShdPnd SigBlk SigIgn SigCgt CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs Seccomp
   Seccomp_filters Cpus_allowed Mems_allowed TracerPid Name THP_enabled CoreDumping].each do |name|
  see.call("status #{name}") { name == "SigIgn" ? status[name].hex & ~(3 << 31) : status[name] } # 32, 33: the C library's
end
%w[comm cmdline oom_score_adj personality cgroup loginuid coredump_filter timerslack_ns sched].each do |name|
  see.call("/proc/self/#{name}") { name == "sched" ? File.read("/proc/self/sched")[/^(?:policy|prio) .*/] : File.read("/proc/self/#{name}").sub(/\0+\z/, "") }
end
see.call("/proc/self/exe") { File.readlink("/proc/self/exe") }
see.call("/proc/self/cwd") { File.readlink("/proc/self/cwd") }
see.call("/proc/self/root") { File.readlink("/proc/self/root") }
see.call("namespaces") { Dir.children("/proc/self/ns").sort.map { |name| File.readlink("/proc/self/ns/#{name}") } }
see.call("CPU time is a command's") { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 60 }
see.call("Process.times of children") { Process.times.then { |times| [times.cutime, times.cstime].max < 60 } }
see.call("Process.last_status") { Process.last_status&.exitstatus }
see.call("children") { File.read("/proc/self/task/#{$$}/children") }
see.call("native threads") { Dir.children("/proc/self/task").size }
see.call("alarm") { File.read("/proc/self/timers").lines.size }

# ---- descriptors ----
see.call("descriptors") { fds.reject { |fd| fd > 2 }.map { |fd| [fd, kind.call(File.readlink("/proc/self/fd/#{fd}"))] } }
see.call("descriptors above 2") { fds.drop(3).filter_map { |fd| kind.call(File.readlink("/proc/self/fd/#{fd}")) if File.exist?("/proc/self/fd/#{fd}") }.grep_v(%r{/proc/\d+/fd}).sort }
see.call("flags of descriptors") { [0, 1, 2].map { |fd| File.read("/proc/self/fdinfo/#{fd}")[/flags:.*/] } }
see.call("close-on-exec") { fds.drop(3).map { |fd| File.read("/proc/self/fdinfo/#{fd}")[/flags:\s*(\d+)/, 1].to_i(8).anybits?(0o2000000) rescue true }.uniq }
see.call("open File objects") { ObjectSpace.each_object(File).reject(&:closed?).map(&:path).grep_v(%r{\A/proc|fdinfo|/dev/null}).sort }
%w[$stdin $stdout $stderr].each do |name|
  io = eval(name)
  see.call("#{name}.fileno") { io.fileno }
  see.call("#{name}.sync") { io.sync }
  see.call("#{name}.tty?") { io.tty? }
  see.call("#{name}.encodings") { [io.external_encoding, io.internal_encoding] }
  see.call("#{name} is the constant") { io.equal?(Object.const_get(name.delete("$").upcase)) }
  see.call("#{name}.lineno") { name == "$stdin" ? io.lineno : nil }
  see.call("#{name}.binmode?") { io.binmode? }
  see.call("#{name}.autoclose?") { io.autoclose? }
  see.call("#{name}.stat") { io.stat.ftype }
end
see.call("$stdin.read") { $stdin.read }
see.call("ARGF") { [ARGF.argv.equal?(ARGV), ARGF.lineno] }

# ---- signals ----
(Signal.list.keys - %w[EXIT KILL STOP VTALRM SEGV BUS ILL FPE]).each do |name|
  see.call("trap #{name}") do
    handler = Signal.trap(name, "DEFAULT")
    Signal.trap(name, handler) if handler
    handler.is_a?(Proc) ? handler.source_location : handler
  end
end

# ---- globals ----
%w[$0 $PROGRAM_NAME $* $, $; $/ $\\ $. $_ $~ $! $@ $& $-w $-v $-d $-i $-l $-p $-a $VERBOSE $DEBUG $FILENAME].each do |name|
  see.call(name) { eval(name) }
end
see.call("ARGV") { ARGV }
see.call("Process.argv0") { Process.argv0 }
see.call("$LOAD_PATH") { $LOAD_PATH.map(&:to_s) }
spate = File.expand_path("../../lib", __dir__)
see.call("$LOADED_FEATURES") { $LOADED_FEATURES.reject { |path| path.start_with?(spate) }.sort }
see.call("$LOADED_FEATURES, order") { $LOADED_FEATURES.reject { |path| path.start_with?(spate) } }
see.call("global variables") { global_variables.sort }
see.call("constants") { Object.constants.sort }
see.call("modules") { ObjectSpace.each_object(Module).filter_map { |m| Module.instance_method(:name).bind_call(m) }.grep_v(/\A(?:#<|Spate::)/).uniq.sort }
see.call("private methods of Kernel") { Kernel.private_instance_methods(false).sort }
see.call("methods of the main object") { TOPLEVEL_BINDING.receiver.singleton_methods.sort }
see.call("local variables of the top level") { TOPLEVEL_BINDING.local_variables }
see.call("Object's instance methods") { Object.instance_methods.sort }
see.call("warnings") { %i[deprecated experimental].map { |name| Warning[name] } }
see.call("Warning.warn") { Warning.method(:warn).owner }
see.call("encodings") { [Encoding.default_external, Encoding.default_internal, Encoding.find("locale"), Encoding.find("filesystem")] }

# ---- environment ----
see.call("ENV") { ENV.to_h.sort.reject { |name, _| %w[_ SPATE_WARM].include?(name) } }
see.call("ENV of a child") { IO.popen(%w[env], &:read).lines.sort.grep_v(/\A(?:_|SPATE_WARM)=/) }
see.call("ENV, frozen values") { ENV["PATH"].frozen? }
see.call("ENV encodings") { ENV["PATH"].encoding }
see.call("working directory") { [Dir.pwd, File.expand_path(".")] }
see.call("home") { Dir.home }
see.call("time zone") { [Time.now.zone, Time.now.utc_offset, Time.at(0).to_s] }
see.call("locale") { IO.popen("locale 2>/dev/null", &:read) }

# ---- threads ----
see.call("threads") { Thread.list.map { |thread| thread.name || thread.inspect[/[^\/]+:\d+/] } }
see.call("main thread") { [Thread.main.equal?(Thread.current), Thread.current.name, Thread.current.priority] }
see.call("thread settings") { [Thread.abort_on_exception, Thread.report_on_exception, Thread.current.report_on_exception] }
see.call("thread variables") { [Thread.current.keys.sort, Thread.current.thread_variables.sort] }
see.call("thread group") { [Thread.current.group.equal?(ThreadGroup::Default), ThreadGroup::Default.list.size] }
see.call("pending interrupt") { Thread.pending_interrupt? }
see.call("fibers") { ObjectSpace.each_object(Fiber).count(&:alive?) <= 1 }
see.call("scheduler") { Fiber.respond_to?(:scheduler) && Fiber.scheduler }
see.call("locked mutexes") { ObjectSpace.each_object(Thread::Mutex).count(&:locked?) }

# ---- Ruby ----
see.call("GC.stat keys") { GC.stat.keys }
see.call("GC flags") { [GC.stress, GC.respond_to?(:auto_compact) && GC.auto_compact, GC.measure_total_time] }
see.call("GC enabled") { GC.enable }
see.call("GC::Profiler") { GC::Profiler.enabled? }
see.call("GC.config") { GC.respond_to?(:config) && GC.config }
see.call("ObjectSpace types") { require "objspace"; ObjectSpace.count_objects.keys.sort }
see.call("allocation tracing") { ObjectSpace.allocation_sourcefile(Object.new) }
see.call("Coverage") { defined?(Coverage) && Coverage.running? }
see.call("TracePoint") { TracePoint.respond_to?(:stat) && TracePoint.stat.size }
see.call("compile options") { RubyVM::InstructionSequence.compile_option }
see.call("JIT") { [defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?, defined?(RubyVM::MJIT) && RubyVM::MJIT.enabled?] }
see.call("RUBY_DESCRIPTION") { RUBY_DESCRIPTION }
see.call("stack") { begin; depth = 0; deeper = -> { depth += 1; deeper.call }; deeper.call; rescue SystemStackError; depth > 3000; end }
see.call("caller") { caller.map { |line| line[/[^\/]+:\d+/] }.reject { |line| line.match?(/spate|exec\.rb|program\.rb/) }.last(3).size }
see.call("__FILE__") { [__FILE__, __dir__] }
see.call("method owners") { %i[require load autoload exit abort fork at_exit trap srand rand system exec].map { |name| [name, Kernel.instance_method(name).owner, Kernel.instance_method(name).source_location.to_a.first.to_s[/[^\/]+\z/]] } }
see.call("define_finalizer") { ObjectSpace.method(:define_finalizer).arity }
see.call("Process methods") { [Process.method(:fork).arity, Process.method(:daemon).arity, Process.respond_to?(:_fork)] }

# ---- RubyGems, Bundler, Rails ----
see.call("Gem.loaded_specs") { Gem.loaded_specs.keys.sort }
see.call("Gem.paths") { [Gem.path, Gem.dir] }
see.call("Bundler.settings") { Bundler.settings.all.sort }
see.call("Bundler.root") { [Bundler.root, Bundler.default_gemfile, Bundler.bundle_path] }
see.call("Rails.env") { [Rails.env, Rails.root, Rails.application.class, Rails.application.initialized?] }
see.call("routes") { Rails.application.routes.routes.map { |route| [route.name, route.path.spec.to_s] } }
see.call("initializers") { Rails.application.initializers.map(&:name) }
see.call("configuration") { Rails.application.config.instance_variables.sort }
see.call("autoload paths") { ActiveSupport::Dependencies.autoload_paths.map(&:to_s) }
see.call("autoloaders") { Rails.autoloaders.map { |loader| [loader.tag, loader.dirs.sort] } }
see.call("reloaders") { Rails.application.reloaders.size }
see.call("executor") { Rails.application.executor.active? }
see.call("middleware") { Rails.application.config.middleware.map(&:inspect) }
see.call("logger") { [Rails.logger.class, Rails.logger.level, Rails.logger.formatter.class] }
see.call("cache") { Rails.cache.class }
see.call("I18n") { [I18n.locale, I18n.available_locales.sort, I18n.load_path.map(&:to_s)] }
see.call("Time.zone") { Time.zone&.name }
see.call("notifications") { ActiveSupport::Notifications.notifier.listening?("process_action.action_controller") }
see.call("commands") { [defined?(Rails::Command), defined?(Rails::Server), defined?(Rails::Console), defined?(Rails::Generators)] }
see.call("other programs") { [defined?(Rake), defined?(RSpec), defined?(IRB), defined?(Minitest)] }
see.call("Zeitwerk's state") { Zeitwerk::Registry.loaders.size rescue nil }
see.call("ForkTracker") { ActiveSupport::ForkTracker.respond_to?(:pid) && ActiveSupport::ForkTracker.pid == Process.pid }
see.call("descendants") { ActionController::Base.descendants.map(&:name).sort }
see.call("error reporter") { ActiveSupport.error_reporter.instance_variable_get(:@subscribers)&.size }
see.call("output of a child") { IO.popen("echo x", &:read) }
see.call("status of a child") { system("exit 3"); $?.exitstatus }
see.call("OpenSSL") { defined?(OpenSSL) && OpenSSL::Random.status? }
see.call("SecureRandom") { require "securerandom"; SecureRandom.hex.size }
see.call("open pipes and sockets") { ObjectSpace.each_object(IO).reject { |io| io.is_a?(File) || io.closed? }.map { |io| [io.class, io.fileno] }.sort_by(&:to_s) }
see.call("finalizers") { ObjectSpace.method(:undefine_finalizer).arity }
see.call("at_exit") { Kernel.method(:at_exit).owner }
seeds = [Random.seed, Random.rand, SecureRandom.hex, defined?(OpenSSL::Random) && OpenSSL::Random.random_bytes(8), Kernel.rand]
print [Marshal.dump([observations, seeds, Process.ppid])].pack("m0")
# rubocop:enable Layout/LineLength, Style/Semicolon, Style/RescueModifier, Style/RegexpLiteral, Security/Eval
