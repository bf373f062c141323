# frozen_string_literal: true

# Restricts this process to reading files, as far as the kernel can, and runs the command in it. ARGV: the binding's
# path, the command.
require ARGV.shift
# A confined process cannot open a descriptor of another one: for a command that enters a tracer, the hooks' table
# becomes a descriptor of its own. The table's address is kept in SPATE_TRACER_TABLE.
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
