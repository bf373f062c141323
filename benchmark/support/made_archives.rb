# frozen_string_literal: true

require "digest"
require "fileutils"
require "rubygems/package"
require "stringio"
require "zlib"

module Benchmark
  # Generates archives that resemble gems with source code: different files of a few KiB each, eight files per folder.
  class MadeArchives
    WORDS = %w[def class module end return if else unless while nil true false self require attr_reader each map select
               value name path entry index count size string array hash result error status].freeze

    def initialize(folder)
      @folder = folder
      FileUtils.mkdir_p(folder)
    end

    # The path of a .gem with the given number of files. It is created only once.
    def gem(name, files:, seed: 1)
      path = File.join(@folder, "#{name}-#{files}-#{seed}.gem")
      return path if File.exist?(path)

      File.binwrite("#{path}.tmp", outer(name, data(files, Random.new(seed))))
      File.rename("#{path}.tmp", path)
      path
    end

    # The path of core-js from the machine's npm registry. It is downloaded only once.
    def core_js
      found = Dir[File.join(@folder, "core-js-*.tgz")].max
      return found if found

      system("npm", "pack", "--silent", "core-js", chdir: @folder, out: File::NULL, err: File::NULL)
      Dir[File.join(@folder, "core-js-*.tgz")].max
    end

    private

    def text(random, salt)
      size = (300 * Math.exp(random.rand * 3.2)).to_i
      body = +"# #{salt} #{random.rand(1 << 40)}\n"
      body << WORDS[random.rand(WORDS.size)] << (random.rand(6).zero? ? "\n" : " ") while body.bytesize < size
      body
    end

    def data(files, random)
      tar = StringIO.new("".b)
      Gem::Package::TarWriter.new(tar) do |writer|
        files.times do |i|
          content = text(random, i)
          writer.add_file_simple(format("lib/part%03d/inner%d/file%05d.rb", i / 64, i / 8 % 8, i), 0o644,
                                 content.bytesize) do |io|
            io.write(content)
          end
        end
      end
      gzip(tar.string)
    end

    def gzip(bytes) = Zlib.gzip(bytes, level: 6)

    def outer(name, data)
      parts = { "metadata.gz" => gzip("--- !ruby/object:Gem::Specification\nname: #{name}\n"), "data.tar.gz" => data }
      sums = parts.map { |file, bytes| "  #{file}: #{Digest::SHA256.hexdigest(bytes)}\n" }.join
      parts["checksums.yaml.gz"] = gzip("---\nSHA256:\n#{sums}")
      tar = StringIO.new("".b)
      Gem::Package::TarWriter.new(tar) do |writer|
        parts.each { |file, bytes| writer.add_file_simple(file, 0o444, bytes.bytesize) { |io| io.write(bytes) } }
      end
      tar.string
    end
  end
end
