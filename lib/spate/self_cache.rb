# frozen_string_literal: true

require "spate/native"
require_relative "util"

module Spate
  # The compile cache of Spate's own files. Without it, reading and compiling them takes half of the time of a run with
  # nothing to do. The cache is `compile-cache/own/<key>.compiled` in the store. The loader of spate/native/boot
  # compares it with the files, so that changes of Spate's source take effect immediately. A run that had to compile
  # starts a child process that builds the cache for the next run.
  #
  # This file is loaded before the cache, so it is small and uses core Ruby only.
  module SelfCache
    FORMAT = "spate own code 1"
    # The same spelling and encoding as on $LOAD_PATH, because the loader receives such paths.
    LIB = File.dirname(__FILE__, 2)
    PATHS = __FILE__.encoding
    LIBRARY = %r{/spate/native/boot\.\w+\z}
    # The time in seconds before another process tries to build the compile cache.
    PATIENCE = 60

    class << self
      # Makes Ruby load Spate's files from the compile cache. env: for the location of the store, and the variables
      # SPATE_BOOT=0 and SPATE_NO_OWN_CODE, which disable the cache. Returns whether the cache is used.
      def use(env = ENV)
        return false if off?(env) || !store(env)

        cache = Native::CompileCache.open(path(env), key: key)
        Native::Loader.install
        Native::Loader.add(cache)
        Native::Loader.recording = true
        @used = true
      rescue LoadError, SystemCallError
        false # the library is not built for this Ruby, or a folder is not readable
      rescue Native::CompileCache::Unusable => e
        @wanted = !%i[foreign_owner writable symlink].include?(e.reason)
        false
      end

      # Called at the end of a run. Starts building the compile cache if a file was missing. Returns the child's pid, or
      # nil.
      def renew(env = ENV)
        start(path(env)) if outdated? && writable?(env)
      rescue SystemCallError
        nil # not an error: the compile cache only saves work
      end

      # 32 hex digits: a hash of the Ruby version, its compile options and encodings, and the path of the source folder.
      # The loader compares the source files themselves.
      def key
        @key ||= begin
          options = RubyVM::InstructionSequence.compile_option.to_a
          Native.content_hash(nil, [FORMAT, RUBY_DESCRIPTION, RUBY_PLATFORM, __ENCODING__, PATHS, *options,
                                    LIB].join("\n"))
        end
      end

      # The folders whose files are in the compile cache: the lib folder of this gem, and that of spate-js if it is
      # installed next to it.
      def libraries = [LIB, JSGem.beside].compact

      def path(env) = "#{store(env)}/compile-cache/own/#{key}.compiled"

      private

      def off?(env) = env["SPATE_BOOT"] == "0" || on?(env["SPATE_NO_OWN_CODE"])
      def on?(value) = !["", "0", nil].include?(value)

      # The folder of the store, or nil if there is none.
      def store(env)
        Util::StorePlace.root(Util::StorePlace.home(env))
      rescue Util::NoHome
        nil
      end

      def outdated?
        return @wanted unless @used

        own = libraries.map { |lib| "#{lib}/spate" }
        Native::Loader.recorded.any? { |path, outcome| outcome != :hit && path.start_with?(*own) }
      end

      # Does not write in CI, where the next run may be on another machine.
      def writable?(env)
        return false if on?(env["SPATE_READONLY"]) || (on?(env["CI"]) && env["CI"] != "false")

        File.writable?(store(env)) && !tried?("#{path(env)}.lock")
      end

      def tried?(lock)
        Time.now - File.mtime(lock) < PATIENCE
      rescue Errno::ENOENT
        false
      end

      def start(path)
        # in an installed gem, the native library is in a different folder than LIB
        library = $LOADED_FEATURES.find { |feature| LIBRARY.match?(feature) }
        Process.spawn({ "RUBYOPT" => nil, "RUBYLIB" => nil }, Util::Ruby.path, "--disable-gems",
                      "-I#{File.dirname(library, 3)}", "#{LIB}/spate/self_cache/make.rb", path, key,
                      %i[in out err] => File::NULL, close_others: true, pgroup: true, chdir: "/")
      end
    end
  end
end
