# frozen_string_literal: true

# Builds the compile cache of Spate::SelfCache in the background: `ruby --disable-gems make.rb PATH KEY`.
$LOAD_PATH.unshift(File.dirname(__FILE__, 3))
require "spate/version"
require "spate/js_gem"
require "spate/self_cache"
Process.setpriority(Process::PRIO_PROCESS, 0, 10)
require "spate/self_cache/making"

Spate::SelfCache::Making.new(*ARGV).call
