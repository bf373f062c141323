# frozen_string_literal: true

module Spate
  # Builds, inspects and removes compile caches, in builders and command-line processes. An application's process never
  # loads it (test/boot/process_test.rb); Boot contains the code that a boot needs.
  module CompileCache
    {
      Builder: "builder", Clear: "clear", Compiler: "compiler", Distrusted: "cache_file", Explain: "explain",
      GemFiles: "gem_files", CacheFile: "cache_file", LoadPathCache: "load_path_cache", Lock: "lock", Prune: "prune",
      Recording: "recording", Shared: "shared", ReplayExplanation: "explain", Status: "status",
      Verify: "verify"
    }.each { |name, file| autoload name, "#{__dir__}/compile_cache/#{file}.rb" }
  end
end
