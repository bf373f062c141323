# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "zlib"
require "spate/zlib"

module Benchmark
  # A file with pieces of Ruby's standard library, both plain and deflated by zlib at level 6. benchmark/floor/zlib.c
  # describes the format.
  class ZlibCorpus
    FOLDER = File.expand_path("../../../tmp/benchmark-zlib", __dir__)
    SLICE = 100_000

    attr_reader :name, :count, :length

    def initialize(name, count, length)
      @name = name
      @count = count
      @length = length
    end

    def bytes = count * length

    def path
      @path ||= File.join(FOLDER, "#{name}-#{count}x#{length}").tap { |path| make(path) unless File.exist?(path) }
    end

    def self.text
      @text ||= Dir[File.join(RbConfig::CONFIG["rubylibdir"], "**/*.rb")].sort.map { |path| File.binread(path) }.join
    end

    private

    def make(path)
      FileUtils.mkdir_p(FOLDER)
      random = Random.new(length)
      plain = Array.new(count) { piece(random) }
      Spate::Zlib.identical = true
      deflated = Spate::Zlib.deflate_all(plain, level: 6)
      Spate::Zlib.identical = false
      [0, count - 1].each { |i| raise "output differs from zlib's" if Zlib.deflate(plain[i], 6) != deflated[i] }
      write("#{path}.new", plain, deflated)
      File.rename("#{path}.new", path)
    end

    def write(path, plain, deflated)
      File.open(path, "wb") do |file|
        file.write([count, *deflated.map(&:bytesize), *plain.map(&:bytesize)].pack("Q*"))
        [deflated, plain].each { |pieces| pieces.each { |piece| file.write(piece) } }
      end
    end

    # Returns a piece from a random position in the text. A long piece consists of many slices, like a concatenation of
    # files.
    def piece(random)
      return slice(random, length) if length <= SLICE

      whole = String.new(capacity: length)
      whole << slice(random, [SLICE, length - whole.bytesize].min) while whole.bytesize < length
      whole
    end

    def slice(random, length) = self.class.text.byteslice(random.rand(self.class.text.bytesize - length), length)
  end
end
