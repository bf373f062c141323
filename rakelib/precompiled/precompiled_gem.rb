# frozen_string_literal: true

require "fileutils"
require "rubygems"
require "tmpdir"
require_relative "../strict_build"
require_relative "loader"
require_relative "native_files"
require_relative "notice"

# A gem for one platform, with the native files of several Rubies. It has the same files as the source gem, except
# those that are only needed to compile.
class PrecompiledGem
  # Gems that are compiled on the user's machine include the header of spate-bytes.
  SOURCES = %r{\A(?:bytes/|server/)?(?:ext|core)/(?!bytes/include/)}
  # Files that do not use Ruby. They come from the system with the oldest Ruby, because they also run on newer systems.
  WITHOUT_RUBY = %w[front tracer_hooks.so].freeze

  # root: the checkout. natives: [NativeFiles] of one platform, each for a different Ruby.
  def initialize(root, name, natives)
    @root = root
    @name = name
    @natives = natives.sort_by { |native| Gem::Version.new(native.abi) }
    @time = StrictBuild.time(root)
  end

  # Builds the gem in a folder. Returns its path.
  def build(folder)
    Dir.mktmpdir("spate-gem-") do |stage|
      specification = specification()
      copy(specification.files, stage)
      specification.files += add(stage)
      gemspec = File.join(stage, "#{@name}.gemspec")
      File.write(gemspec, specification.to_ruby)
      StrictBuild.new(gemspec, folder, time: @time).call("#{specification.version}-#{@natives.first.platform}")
    end
  end

  private

  def specification
    specification = Gem::Specification.load("#{@root}/#{@name}.gemspec").dup
    specification.platform = @natives.first.platform
    specification.date = Time.at(@time.to_i).utc
    specification.required_ruby_version = [">= #{abis.first}", "< #{Gem::Version.new("#{abis.last}.0").bump}.dev"]
    specification.files = specification.files.grep_v(SOURCES)
    specification.extensions = []
    specification
  end

  def abis = @natives.map(&:abi)

  def copy(files, stage)
    files.each do |path|
      FileUtils.mkdir_p(File.dirname("#{stage}/#{path}"))
      FileUtils.cp("#{@root}/#{path}", "#{stage}/#{path}", preserve: true)
    end
  end

  # Adds the native files, the files that load them, and the notice. Returns their paths.
  def add(stage)
    folder = NativeFiles::FOLDERS.fetch(@name)
    natives = native_files(folder)
    natives.each { |path, from| install(from, "#{stage}/#{path}") }
    written = loaders(folder, natives.keys).merge("NOTICE.txt" => Notice.new(@name, @natives).to_s)
    written.each { |path, text| File.write("#{stage}/#{path}", text, perm: 0o644) }
    (natives.keys + written.keys).sort
  end

  # {path in the gem => path of the compiled file}
  def native_files(folder)
    pairs = @natives.flat_map do |native|
      native.files(@name).map { |from| [path_in_gem(folder, native, File.basename(from)), from] }
    end
    pairs.reverse.to_h # files of the oldest Ruby replace those of the others
  end

  def path_in_gem(folder, native, name)
    WITHOUT_RUBY.include?(name) ? "#{folder}/#{name}" : "#{folder}/#{native.abi}/#{name}"
  end

  # {path in the gem => text}
  def loaders(folder, natives)
    names = natives.grep(%r{/\d+\.\d+/}).map { |path| File.basename(path, ".so") }.uniq
    names.to_h { |name| ["#{folder}/#{name}.rb", Loader.new(@name, "#{folder[%r{spate/.*}]}/#{name}").to_s] }
  end

  def install(from, path)
    FileUtils.mkdir_p(File.dirname(path))
    FileUtils.install(from, path, mode: 0o755)
  end
end
