# frozen_string_literal: true

# Restricts this process to reading files, as far as the kernel supports that, and runs the command. ARGV: the binding's
# path, the command.
require ARGV.shift
# A confined process cannot open a descriptor of another process. So if the command enters a tracer, this process opens
# the hooks' table and passes the descriptor on. SPATE_TRACER_TABLE has the table's address.
traced = ENV.key?("SPATE_TRACER_SOCKET")
if traced && (table = ENV.fetch("SPATE_TRACER", nil))
  file = File.open(table, File::RDWR)
  file.close_on_exec = false
  ENV["SPATE_TRACER_TABLE"] = table
  ENV["SPATE_TRACER"] = "/proc/self/fd/#{file.fileno}"
end
confined = Spate::Native::Tracer.confine
Spate::Native::Tracer.forbid_changes(!confined) unless traced
exec([ARGV.first, ARGV.first], *ARGV.drop(1))
