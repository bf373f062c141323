# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "../../test/fresh/sources"

# The compiled libraries and programs of all gems for one Ruby, either of a fresh Debian (bin/fresh) or of this machine.
class NativeFiles
  # Name of a gem => folder of its native files.
  FOLDERS = { "spate" => "lib/spate/native", "spate-bytes" => "bytes/lib/spate/native",
              "spate-server" => "server/lib/spate/server/native" }.freeze
  FACTS = "tmp/native.json"

  # Compiles twice, compares, and writes an archive with the files and FACTS to the standard output. The libraries are
  # not linked with libruby, because not every Ruby has it, and the running Ruby provides its functions. Removes the
  # debugging information and the build ID, which depend on the path of the sources.
  COMPILE = <<~'SH'
    exec 3>&1 >&2
    mkdir -p tmp
    ruby rakelib/precompiled/facts.rb > tmp/native.json
    for round in 1 2; do
      rm -rf tmp/build
      MAKEFLAGS=LIBRUBYARG_SHARED= SPATE_LIBDEFLATE=static ruby bin/compile
      find "$@" -type f ! -name '*.rb' -exec strip --strip-unneeded --remove-section=.note.gnu.build-id {} +
      tar -cf "tmp/native.$round" --sort=name --mtime=@0 --owner=0 --group=0 --exclude='*.rb' "$@" tmp/native.json
    done
    cmp tmp/native.1 tmp/native.2
    cat tmp/native.1 >&3
  SH

  # The files were not built. The message is the end of the output.
  class Failed < StandardError; end

  class << self
    # system: bin/fresh's arguments, such as %w[debian12] or %w[--arch=arm64 debian12]. HEAD is compiled.
    def in_system(root, system, folder)
      script = "bin/setup --quiet build >&2\n#{COMPILE}"
      new(folder, system.join(" ")).unpack("#{root}/bin/fresh", *system, "sh", "-euc", script, "sh", *FOLDERS.values)
    end

    # ruby: path of a Ruby on this machine, which must have everything that is needed to compile HEAD.
    def for_ruby(root, ruby, folder)
      Dir.mktmpdir("spate-native-") do |sources|
        Fresh::Sources.new(root).copy(sources)
        path = "#{File.dirname(File.expand_path(ruby))}:#{ENV.fetch("PATH")}"
        new(folder, ruby).unpack({ "PATH" => path, "RUBYOPT" => nil, "RUBYLIB" => nil },
                                 "sh", "-euc", COMPILE, "sh", *FOLDERS.values, chdir: sources)
      end
    end
  end

  # folder: an empty folder for the files. origin: names the system or Ruby in messages.
  def initialize(folder, origin)
    @folder = folder
    @origin = origin
  end

  attr_reader :origin

  # Unpacks the archive that the command writes. Returns self.
  def unpack(*command, **options)
    log = "#{@folder}.log"
    FileUtils.mkdir_p(@folder)
    done = Open3.pipeline([*command, { in: File::NULL, err: log, **options }], ["tar", "-x", "-C", @folder])
    return self if done.all?(&:success?)

    raise Failed, "#{@origin}: the native files were not built:\n#{File.readlines(log).last(15).join}"
  end

  # "3.1"
  def abi = facts.fetch("abi")
  # "x86_64-linux-gnu"
  def platform = facts.fetch("platform")
  def libdeflate = facts.fetch("libdeflate")

  # [paths] of a gem's native files.
  def files(gem) = Dir["#{@folder}/#{FOLDERS.fetch(gem)}/*"].sort

  private

  def facts = @facts ||= JSON.parse(File.read("#{@folder}/#{FACTS}"))
end
