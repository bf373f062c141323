# frozen_string_literal: true

# A worker of Spate::Boot::Compiler, run with `ruby --disable-gems`; arguments: folders for $LOAD_PATH.
$LOAD_PATH.unshift(*ARGV)
require "spate/native/boot"
require_relative "ruby_key"
require_relative "compiler"
require_relative "compiler/job"
require_relative "compiler/compilation"
require_relative "compiler/sight"
require_relative "compiler/assembly"

[$stdin, $stdout].each(&:binmode)
results = $stdout.dup.binmode
$stdout.reopen($stderr)
compilation = Spate::Boot::Compiler::Compilation.new
until $stdin.eof?
  job = Marshal.load($stdin) # rubocop:disable Security/MarshalLoad -- of the process that started this one
  Marshal.dump(Spate::Boot::Compiler::Assembly.new(job, compilation).call, results)
  results.flush
end
