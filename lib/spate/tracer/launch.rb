# frozen_string_literal: true

# Enters the tracer and executes a command. ARGV: path of the native extension, the command.
require ARGV.shift
Spate::Native::Tracer.enter(Integer(ENV.delete("SPATE_TRACER_SOCKET"), 10))
exec([ARGV.first, ARGV.first], *ARGV.drop(1))
