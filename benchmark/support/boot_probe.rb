# frozen_string_literal: true

# Runs at the end of every measured boot. Records how many files were loaded from which cache, to prove that the
# measured code ran. Takes well under a millisecond in all rows.
started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
status = File.read("/proc/self/status")
facts = {
  features: $LOADED_FEATURES.length, collections: GC.count,
  collected: GC.respond_to?(:total_time) ? GC.total_time / 1e9 : 0.0, memory: status[/^VmHWM:\s+(\d+)/, 1].to_i,
  bootsnap: defined?(Bootsnap) ? RubyVM::InstructionSequence.respond_to?(:load_iseq) : nil,
  bundler: defined?(Bundler::VERSION) ? Bundler::VERSION : nil
}
facts[:requests] = BootRequests.found if defined?(BootRequests)
if defined?(Spate::Boot) && Spate::Boot.respond_to?(:session) && (session = Spate::Boot.session)
  facts[:parts] = session.parts
  facts[:loader] = Spate::Native::Loader.counts if defined?(Spate::Native::Loader)
  facts[:requirer] = Spate::Native::Requirer.counts if defined?(Spate::Native::Requirer)
end
facts[:probe] = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
File.binwrite(ENV.fetch("BOOT_FACTS"), Marshal.dump(facts))
