# frozen_string_literal: true

require "test_helper"
require "spate/native"
require "digest"
require "rubygems/package"
require "stringio"
require "zlib"

module Spate
  # A store in a temporary folder, and generated archives.
  class NativeCase < Minitest::Test
    private

    def store
      @store ||= Native::Store.new("#{folder}/store/v1", unpack_threads: 3, link_threads: 3)
    end

    def fresh(name) = "#{folder}/#{name}#{@fresh = @fresh.to_i + 1}"

    def tree = File.join(store.root, "tmp", "tree#{@trees = @trees.to_i + 1}")

    # members: [[name, content or nil, options]]; options: type, mode, link.
    def tar(members)
      io = StringIO.new("".b)
      members.each do |name, content, options = {}|
        content = content.to_s.b
        header = Gem::Package::TarHeader.new(name: name, mode: options[:mode] || 0o644, size: content.bytesize,
                                             prefix: "",
                                             mtime: 0, typeflag: options[:type] || "0", linkname: options[:link] || "")
        io << header << content << ("\0" * (-content.bytesize % 512))
      end
      io.string << ("\0" * 1024)
    end

    def gem_of(members, metadata: "--- !ruby/object:Gem::Specification\nname: täst\n", checksums: true)
      parts = [["metadata.gz", Zlib.gzip(metadata)], ["data.tar.gz", Zlib.gzip(tar(members))]]
      if checksums
        sums = parts.map { |name, bytes| "  #{name}: #{Digest::SHA256.hexdigest(bytes)}\n" }
        parts << ["checksums.yaml.gz", Zlib.gzip("---\nSHA256:\n#{sums.join}")]
      end
      fresh("archive").tap { |path| File.binwrite(path, tar(parts)) }
    end

    def many(count) = Array.new(count) { |i| ["lib/dir#{i % 5}/file#{i}.rb", "puts #{i}\n"] }

    # The manifest of a package with these members.
    def package(members, facts: "")
      path = fresh("manifest")
      store.unpack(gem_of(members)).write_manifest(path, facts)
      store.manifest(path)
    end

    # The content of a tree: { path => [type, mode, content or target] }.
    def listing(root)
      Dir.glob("**/*", File::FNM_DOTMATCH, base: root).reject { |path| path.end_with?(".") }.sort.to_h do |path|
        full = File.join(root, path)
        stat = File.lstat(full)
        content = if stat.symlink? then File.readlink(full)
                  elsif stat.file? then File.binread(full)
                  end
        [path, [stat.ftype, stat.symlink? ? nil : stat.mode.to_s(8), content]]
      end
    end

    # Changes the manifest as if it had been written during another boot of this machine.
    def age(path)
      bytes = File.binread(path)
      bytes.setbyte(80, bytes.getbyte(80) ^ 1)
      bytes[12, 4] = [Zlib.crc32(bytes[16..])].pack("V")
      File.binwrite(path, bytes)
    end
  end
end
