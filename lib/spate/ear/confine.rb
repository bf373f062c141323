# frozen_string_literal: true

# Restricts this process to reading files, as far as the kernel can, and runs the command in it. ARGV: the binding's
# path, the command.
require ARGV.shift
# A confined process cannot open a descriptor of another one: for a command that enters an ear, the hooks' table becomes
# a descriptor of its own. The table's address is kept in SPATE_EAR_TABLE.
traced = ENV.key?("SPATE_EAR_SOCKET")
if traced && (table = ENV.fetch("SPATE_EAR", nil))
  file = File.open(table, File::RDWR)
  file.close_on_exec = false
  ENV["SPATE_EAR_TABLE"] = table
  ENV["SPATE_EAR"] = "/proc/self/fd/#{file.fileno}"
end
confined = Spate::Native::Ear.confine
Spate::Native::Ear.forbid_changes(!confined) unless traced
exec([ARGV.first, ARGV.first], *ARGV.drop(1))
