# frozen_string_literal: true

require "test_helper"
require "spate/native/boot"
require "open3"
require "rbconfig"

module Spate
  # Compile caches whose code differs from the file: the file sets $from to :disk, the cached code to :compile_cache.
  class BootCase < Minitest::Test
    KEY = "0123456789abcdef"
    ISEQ = RubyVM::InstructionSequence
    CompileCache = Native::CompileCache
    Loader = Native::Loader
    DISK = "$from = :disk\n"
    # Default time in ns between the last change of a file and its recording. After it the times prove the content.
    LATER = 60_000_000_000

    def setup
      Loader.install
      Loader.reset
      Loader.recording = true
      self.ran = nil
    end

    def teardown
      Loader.recording = false
      Loader.reset
      super
    end

    private

    def root = @root ||= File.realpath(folder)

    def source(name, content = DISK)
      write(name, content)
      File.join(root, name)
    end

    # The recorded facts of a file. later: ns between its last change and the recording; nil: recorded now.
    def state(path, later: LATER, hash: Native.content_hash(path), inode: nil, flags: 0)
      now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      size, mtime_ns, ctime_ns, _device, found = Native.stat(path)
      [size, mtime_ns, ctime_ns, hash, later ? [mtime_ns, ctime_ns].max + later : now, inode || found, flags]
    end

    def blob(path, code = "$from = :compile_cache", real: path) = ISEQ.compile(code, path, real).to_binary

    def file(path, code = "$from = :compile_cache", real: File.realpath(path), **state)
      [path, state(path, **state), blob(path, code, real: real)]
    end

    def compile_cache_path(name) = File.join(root, "caches", name).tap do |path|
                                     FileUtils.mkdir_p(File.dirname(path), mode: 0o700)
                                   end

    def cache(*files, name: "#{@caches = @caches.to_i + 1}.compiled", data: {})
      path = compile_cache_path(name)
      Native::CompileCache.write(path, key: KEY, files: files, data: data)
      Native::CompileCache.open(path, key: KEY)
    end

    # Adds a compile cache of one file to the loader.
    def cached(name, content = DISK, **options)
      source(name, content).tap { |path| Loader.add(cache(file(path, **options))) }
    end

    # [what ran, the loader's result]
    def loaded(path)
      self.ran = nil
      load(path)
      [ran, Loader.recorded.last&.last]
    end

    # rubocop:disable Style/GlobalVars -- a loaded file can set it without a reference to the test
    def ran = $from

    def ran=(value)
      $from = value
    end
    # rubocop:enable Style/GlobalVars

    # The output of a separate Ruby that has loaded the extension and defined the constants of this class.
    def ruby(script, *options, env: {})
      prelude = "require 'spate/native/boot'; KEY = #{KEY.dump}; CompileCache = Spate::Native::CompileCache; " \
                "Loader = Spate::Native::Loader; ISEQ = RubyVM::InstructionSequence\n"
      output, status = Open3.capture2e(env, RbConfig.ruby, "-W0", "-I#{File.expand_path("../../../lib", __dir__)}",
                                       *options, "-e", prelude + script, chdir: root)
      assert_predicate status, :success?, output
      output
    end
  end
end
