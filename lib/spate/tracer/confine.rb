# frozen_string_literal: true

# Prevents this process from changing files, as far as the kernel supports that, and executes a command. ARGV: path of
# the native extension, the command.
require ARGV.shift
# A confined process cannot open a file descriptor of another process. So if the command will enter a tracer, open the
# hooks' table now and pass on its descriptor. SPATE_TRACER_TABLE contains the table's original address.
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
