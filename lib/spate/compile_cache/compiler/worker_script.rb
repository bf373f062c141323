# frozen_string_literal: true

# A worker of Spate::CompileCache::Compiler, run by `ruby --disable-gems`. Arguments: folders for $LOAD_PATH.
$LOAD_PATH.unshift(*ARGV)
require "spate/native/boot"
require_relative "../../boot/ruby_key"
require_relative "job"
require_relative "compilation"
require_relative "cache_writer"

[$stdin, $stdout].each(&:binmode)
results = $stdout.dup.binmode
$stdout.reopen($stderr)
compilation = Spate::CompileCache::Compiler::Compilation.new
until $stdin.eof?
  job = Marshal.load($stdin) # rubocop:disable Security/MarshalLoad -- written by the parent process
  Marshal.dump(Spate::CompileCache::Compiler::CacheWriter.new(job, compilation).call, results)
  results.flush
end
