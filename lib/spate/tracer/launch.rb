# frozen_string_literal: true

# Enters the tracer, and executes the command. ARGV: the binding's path, the command.
require ARGV.shift
Spate::Native::Tracer.enter(Integer(ENV.delete("SPATE_TRACER_SOCKET"), 10))
exec([ARGV.first, ARGV.first], *ARGV.drop(1))
