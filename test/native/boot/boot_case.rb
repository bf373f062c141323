# frozen_string_literal: true

require "test_helper"
require "spate/native/boot"
require "open3"
require "rbconfig"

module Spate
  # Images of files whose blob differs from the file: the file sets $from to :disk, its blob to :image.
  class BootCase < Minitest::Test
    KEY = "0123456789abcdef"
    ISEQ = RubyVM::InstructionSequence
    Image = Native::Image
    Loader = Native::Loader
    DISK = "$from = :disk\n"
    # Far enough in the future that no file time is near.
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

    # The state as a builder records it, `later` after its last change, or now (nil).
    def state(path, later: LATER, hash: Native.content_hash(path), inode: nil, flags: 0)
      now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      size, mtime_ns, ctime_ns, _device, found = Native.stat(path)
      [size, mtime_ns, ctime_ns, hash, later ? [mtime_ns, ctime_ns].max + later : now, inode || found, flags]
    end

    def blob(path, code = "$from = :image", real: path) = ISEQ.compile(code, path, real).to_binary

    def file(path, code = "$from = :image", real: File.realpath(path), **state)
      [path, state(path, **state), blob(path, code, real: real)]
    end

    def image_path(name) = File.join(root, "images", name).tap do |path|
                             FileUtils.mkdir_p(File.dirname(path), mode: 0o700)
                           end

    def image(*files, name: "#{@images = @images.to_i + 1}.image", data: {})
      path = image_path(name)
      Image.write(path, key: KEY, files: files, data: data)
      Image.open(path, key: KEY)
    end

    # An image of one file, added to the loader.
    def cached(name, content = DISK, **options)
      source(name, content).tap { |path| Loader.add(image(file(path, **options))) }
    end

    # [what ran, outcome]
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

    # The output of a separate Ruby with the extension and the helpers of this process.
    def ruby(script, *options, env: {})
      prelude = "require 'spate/native/boot'; KEY = #{KEY.dump}; Image = Spate::Native::Image; " \
                "Loader = Spate::Native::Loader; ISEQ = RubyVM::InstructionSequence\n"
      output, status = Open3.capture2e(env, RbConfig.ruby, "-W0", "-I#{File.expand_path("../../../lib", __dir__)}",
                                       *options, "-e", prelude + script, chdir: root)
      assert_predicate status, :success?, output
      output
    end
  end
end
