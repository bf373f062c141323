# frozen_string_literal: true

# Enters the ear, and executes the command. ARGV: the binding's path, the command.
require ARGV.shift
Spate::Native::Ear.enter(Integer(ENV.delete("SPATE_EAR_SOCKET"), 10))
exec([ARGV.first, ARGV.first], *ARGV.drop(1))
