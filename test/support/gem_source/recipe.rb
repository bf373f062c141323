# frozen_string_literal: true

require "rubygems/package"
require "digest"
require "stringio"
require "zlib"

module GemSource
  # A small generated gem. Its times are fixed, so the same recipe has the same bytes.
  #
  #   Recipe.new("hello", "1.0", native: true).archive   # => the bytes of hello-1.0.gem
  class Recipe
    TIME = Time.utc(2020, 1, 2)

    attr_reader :name, :version, :platform

    # dependencies: { name => requirement, or Array of requirements }. files: { path => content, or [content, mode] }; a
    # path that ends with / is a folder.
    # native: true adds ext/NAME/extconf.rb and a C file. executables: names in exe/, generated unless they are in
    # files. abi: "3.4" makes a content-addressed gem for that Ruby. The block may change the Gem::Specification.
    def initialize(name, version, platform: "ruby", dependencies: {}, files: nil, native: false, executables: [],
                   ruby: nil, rubygems: nil, abi: nil, &change)
      @name = name
      @version = version
      @platform = platform
      @dependencies = dependencies
      @native = native
      @executables = executables
      @addressed = abi
      @required_ruby = ruby || ("~> #{abi}.0" if abi)
      @required_rubygems = rubygems || (">= 4.1.0.a" if abi)
      @change = change
      @files = files ? files.dup : default_files
      @files = native_files.merge(@files) if native && @files.none? { |path, _| path.end_with?("/extconf.rb") }
      @executables.each { |exe| @files["exe/#{exe}"] ||= ["#!/usr/bin/env ruby\nputs #{exe.dump}\n", 0o755] }
    end

    def specification
      @specification ||= build_specification
    end

    # Includes the platform as the gem's author wrote it. RubyGems before 3.3.22 removes "-gnu" from it.
    def full_name = @addressed ? "#{@name}-#{@version}-#{address}" : specification.original_name

    # The first digits of the archive's SHA-256.
    def address = Digest::SHA256.hexdigest(archive)[0, 8]

    # The bytes of the .gem file.
    def archive
      metadata = gzip(specification.to_yaml)
      data = gzip(tar { |tar| pack_files(tar) })
      sums = checksums("metadata.gz" => metadata, "data.tar.gz" => data)
      tar do |tar|
        { "metadata.gz" => metadata, "data.tar.gz" => data, "checksums.yaml.gz" => sums }.each do |path, bytes|
          tar.add_file_simple(path, 0o444, bytes.bytesize) { |io| io.write(bytes) }
        end
      end
    end

    private

    def default_files
      constant = @name.split(/[-_]/).map(&:capitalize).join
      { "lib/#{@name}.rb" => "module #{constant}\n  VERSION = #{@version.dump}\nend\n", "README.md" => "# #{@name}\n" }
    end

    def native_files
      base = @name.tr("-", "_")
      { "ext/#{@name}/extconf.rb" => "require \"mkmf\"\ncreate_makefile(\"#{@name}/#{base}\")\n",
        "ext/#{@name}/#{base}.c" => "#include <ruby.h>\nvoid Init_#{base}(void) { rb_define_module(\"N#{base}\"); }\n" }
    end

    def build_specification
      Gem::Specification.new(@name, @version) do |spec|
        spec.platform = @platform unless @platform == "ruby"
        spec.summary = "The gem #{@name}"
        spec.authors = ["Nobody"]
        spec.date = TIME
        spec.files = @files.keys.grep_v(%r{/\z})
        spec.extensions = @files.keys.grep(%r{/extconf\.rb\z}) if @native
        unless @executables.empty?
          spec.bindir = "exe"
          spec.executables = @executables
        end
        spec.required_ruby_version = @required_ruby if @required_ruby
        spec.required_rubygems_version = @required_rubygems if @required_rubygems
        @dependencies.each { |name, requirement| spec.add_runtime_dependency(name, *Array(requirement)) }
        @change&.call(spec)
      end
    end

    def pack_files(tar)
      @files.each do |path, (content, mode)|
        next tar.mkdir(path.chomp("/"), mode) if path.end_with?("/")

        tar.add_file_simple(path, mode || 0o644, content.bytesize) { |io| io.write(content) }
      end
    end

    def tar(&fill)
      io = StringIO.new(String.new(encoding: Encoding::BINARY))
      original = ENV["SOURCE_DATE_EPOCH"]
      ENV["SOURCE_DATE_EPOCH"] = TIME.to_i.to_s
      Gem::Package::TarWriter.new(io, &fill)
      io.string
    ensure
      ENV["SOURCE_DATE_EPOCH"] = original
    end

    def gzip(bytes)
      io = StringIO.new(String.new(encoding: Encoding::BINARY))
      Zlib::GzipWriter.wrap(io) do |gz|
        gz.mtime = TIME.to_i
        gz.write(bytes)
      end
      io.string
    end

    def checksums(members)
      lines = { "SHA256" => Digest::SHA256, "SHA512" => Digest::SHA512 }.flat_map do |label, digest|
        ["#{label}:", *members.map { |path, bytes| "  #{path}: #{digest.hexdigest(bytes)}" }]
      end
      gzip("---\n#{lines.join("\n")}\n")
    end
  end
end
