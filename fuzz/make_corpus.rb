# frozen_string_literal: true

# Makes the small seeds that the fuzzers of the core begin with: fuzz/corpus/{tar,gzip,path}.
# usage: ruby fuzz/make_corpus.rb

require "fileutils"
require "rubygems/package"
require "stringio"
require "zlib"

ROOT = File.expand_path("corpus", __dir__)

def write(fuzzer, name, bytes)
  FileUtils.mkdir_p(File.join(ROOT, fuzzer))
  File.binwrite(File.join(ROOT, fuzzer, name), bytes)
end

def header(name, type: "0", size: 0, link: "", magic: "ustar\x0000", prefix: "")
  fields = [name, "0000644", "0", "0", format("%011o", size), "0", " " * 8, type, link, magic, prefix]
  seal(fields.pack("a100 a8 a8 a8 a12 a12 a8 a a100 a8 x80 a155 x12"))
end

def seal(block)
  block[148, 8] = " " * 8
  block[148, 8] = format("%06o\0 ", block.sum(32))
  block
end

def member(name, content, **options)
  header(name, size: content.bytesize, **options) + content + ("\0" * (-content.bytesize % 512))
end

def record(keyword, value)
  rest = keyword.bytesize + value.bytesize + 3
  length = rest + rest.to_s.size
  length = rest + length.to_s.size
  "#{length} #{keyword}=#{value}\n"
end

def plain
  io = StringIO.new("".b)
  Gem::Package::TarWriter.new(io) do |tar|
    tar.mkdir("lib", 0o755)
    tar.add_file_simple("lib/a.rb", 0o644, 6) { |file| file.write("puts 1") }
    tar.add_symlink("lib/b.rb", "a.rb", 0o777)
  end
  io.string
end

TARS = {
  "plain" => plain,
  "no-end" => member("a", "content"),
  "prefix" => header("name", prefix: "some/folder"),
  "old" => header("old/", type: "\0", magic: ""),
  "gnu-long" => member("././@LongLink", "#{"n" * 120}\0", type: "L", magic: "ustar  ") +
                member("././@LongLink", "target\0", type: "K", magic: "ustar  ") + header("short", type: "2"),
  "pax" => member("x", record("path", "long") + record("size", "3"), type: "x") + member("short", "abc"),
  "pax-size-and-long-name" => member("x", record("size", "512"), type: "x") +
                              member("././@LongLink", "long\0", type: "L") + header("a") + ("i" * 512),
  "global" => member("g", record("comment", "text"), type: "g") + header("a"),
  "sparse" => member("x", record("GNU.sparse.major", "1"), type: "x") + header("a"),
  "devices" => header("c", type: "3") + header("p", type: "6") + header("h", type: "1", link: "c"),
  "base-256" => seal(header("big").tap { |block| block[124, 12] = [0x80, 1].pack("C x10 C") })
}.freeze

GZIPS = {
  "empty" => Zlib.gzip(""),
  "text" => Zlib.gzip("spate " * 100),
  "members" => Zlib.gzip("one ") + Zlib.gzip("two"),
  "padded" => Zlib.gzip("a") + ("\0" * 20),
  "garbage" => "#{Zlib.gzip("a")}garbage",
  "bomb" => Zlib.gzip("\0" * 2_000_000),
  "truncated" => Zlib.gzip("river " * 50)[0..-12],
  "stored" => Zlib.gzip((0..255).to_a.pack("C*"), level: 0),
  "named" => [0x1f, 0x8b, 8, 0x1c, 0, 0, 3, 2].pack("C4 L< C2 S<") + "xxname\0comment\0#{Zlib.gzip("a")[10..]}".b
}.freeze

PATHS = ["lib/a.rb", "./a//b/", "../dest_backup/a", "a/../../b", "/etc/passwd", "a\\..\\b", "package/index.js",
         "lib/link|../other", "link|/etc/passwd", "a/b|../../x", "z|a/b/up/../x", "é/日本", "a\nb", "a\0b"].freeze

TARS.each { |name, bytes| write("tar", name, bytes) }
GZIPS.each do |name, bytes| # the first byte chooses container (gzip, or gzip's first member), limit and step
  write("gzip", name, 0b010010.chr.b + bytes)
  write("gzip", "#{name}-first", 0b110011.chr.b + bytes)
end
write("gzip", "zlib", 0b010001.chr.b + Zlib.deflate("spate " * 100))
write("gzip", "raw", 0b010000.chr.b + Zlib.deflate("spate " * 100)[2..-5])
PATHS.each_with_index { |path, index| write("path", format("%02d", index), path.b) }
