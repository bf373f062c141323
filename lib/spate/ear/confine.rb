# frozen_string_literal: true

# Gives up writing files, as far as the kernel can hold a process to that, and becomes the command. ARGV: the binding's
# path, the command.
require ARGV.shift
Spate::Native::Ear.confine
exec([ARGV.first, ARGV.first], *ARGV.drop(1))
