# frozen_string_literal: true

# Starts a command and exits with its status. ARGV: file descriptor of the lifeline, path of the tracer's binding (""
# without tracing), the command's words.
lifeline, tracer, *words = ARGV

# The parent has the other end of this pipe. When the parent dies for any reason, this process and its descendants
# end, too.
lifeline = IO.for_fd(Integer(lifeline, 10))
lifeline.close_on_exec = true
Thread.new do
  lifeline.read
  Process.kill(:KILL, -Process.getpgrp)
end

unless tracer.empty?
  require tracer
  Spate::Native::Tracer.enter(Integer(ENV.delete("SPATE_TRACER_SOCKET"), 10))
end
begin
  _, status = Process.wait2(Process.spawn([words.first, words.first], *words.drop(1), close_others: false))
rescue SystemCallError => e
  warn e.message
  exit! 127
end
exit! status.exitstatus if status.exitstatus
Signal.trap(status.termsig, "DEFAULT")
Process.kill(status.termsig, Process.pid)
sleep
