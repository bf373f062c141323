# frozen_string_literal: true

require "digest"
require "json"
require "rubygems"
require "rubygems/package"
require "stringio"
require "zlib"

module NpmRegistry
  # One version of a package, and its archive in the format of `npm pack`: files below "package/", package.json first.
  class Package
    attr_reader :name, :version, :archive, :manifest

    # files: { path => content, or [content, mode] }. archive: bytes to serve instead. integrity: :sha512, :sha1 (as in
    # old entries) or :none. dist: other fields of the registry's `dist`. manifest: other fields of package.json.
    def initialize(name, version, files: {}, archive: nil, integrity: :sha512, dist: {}, **manifest)
      @name = name
      @version = version
      @manifest = { "name" => name, "version" => version }.merge(JSON.parse(JSON.generate(manifest)))
      @archive = archive || pack({ "package.json" => JSON.pretty_generate(@manifest) }.merge(files))
      @algorithm = integrity
      @dist = dist
    end

    # The integrity in a lockfile, or nil.
    def integrity
      return if @algorithm == :none

      "#{@algorithm}-#{[Digest.const_get(@algorithm.to_s.upcase).digest(@archive)].pack("m0")}"
    end

    # The archive's file name: "b-1.2.0.tgz".
    def file = "#{@name[%r{[^/]+\z}]}-#{@version}.tgz"

    # The version's entry in the registry's document. address: of the archive.
    def entry(address)
      dist = { "tarball" => address, "shasum" => Digest::SHA1.hexdigest(@archive), "integrity" => integrity }
      dist = dist.compact.merge(@dist)
      dist.delete("integrity") if @algorithm == :sha1
      scripts = (@manifest["scripts"] || {}).keys & %w[preinstall install postinstall]
      @manifest.merge({ "_id" => "#{@name}@#{@version}", "dist" => dist },
                      scripts.empty? ? {} : { "hasInstallScript" => true })
    end

    private

    def pack(files)
      tar = StringIO.new("".b)
      Gem::Package::TarWriter.new(tar) do |writer|
        files.each do |path, (content, mode)|
          content = content.b
          writer.add_file_simple("package/#{path}", mode || 0o644, content.bytesize) { |io| io.write(content) }
        end
      end
      compress(tar.string)
    end

    # Compresses with a fixed time, so that the result is reproducible.
    def compress(bytes)
      out = StringIO.new("".b)
      zip = Zlib::GzipWriter.new(out)
      zip.mtime = 1
      zip.write(bytes)
      zip.close
      out.string
    end
  end
end
