# frozen_string_literal: true

require "fileutils"

# Generates random changes in the folders of a load path, and names to search: all kinds of files and of requires.
class RandomTree
  NAMES = %w[a a a b b b c c d-e é x.y f.so g.rb .h].freeze
  EXTENSIONS = ["", "", "", ".rb", ".rb", ".rb", ".rb", ".so", ".so", ".o", ".rb.rb", ".so.rb", ".rake"].freeze
  ROOTS = %w[r0 r1 r2 r3 r0/a r1/b/c link missing].freeze

  def initialize(folder, random)
    @folder = folder
    @random = random
    %w[r0 r1 r2 r3 elsewhere].each { |name| Dir.mkdir(File.join(folder, name)) }
    File.symlink("r3", File.join(folder, "link"))
    120.times { edit }
  end

  # Makes one change: a path is created, removed, renamed, or replaced with a different kind of file.
  def edit
    above = [pick(%w[r0 r1 r2 r3 r3 elsewhere])] + Array.new(@random.rand(3)) { name }
    path = File.join(@folder, above, entry)
    FileUtils.mkdir_p(File.dirname(path)) if @random.rand(3) == 0
    case @random.rand(24)
    when 0..15 then put(path) { File.open(path, File::WRONLY | File::CREAT | File::EXCL).close }
    when 16, 17 then put(path) { Dir.mkdir(path) }
    when 18 then put(path) { File.symlink(target, path) }
    when 19 then rename(path)
    when 20 then put(path) { File.mkfifo(path) }
    when 21 then @random.rand(8) == 0 && FileUtils.rm_rf(File.dirname(path))
    else FileUtils.rm_rf(path)
    end
  rescue SystemCallError
    nil # a missing folder, a file instead of a folder, a loop of links
  end

  # A load path in random order, with repetitions and several spellings. The prefix "P:" means a Pathname.
  def load_path
    Array.new(@random.rand(1..7)) do
      root = pick(ROOTS)
      path = File.join(@folder, root)
      [path, path, path, path, "#{path}/", "#{@folder}/r0/../#{root}", "#{@folder}//#{root}/.", root, "P:#{path}",
       "#{@folder}/r0/#{name}"][@random.rand(10)]
    end
  end

  def features = Array.new(24) { feature }

  private

  def feature
    parts = Array.new([0, 0, 1, 1, 1, 2, 3][@random.rand(7)]) { name }
    plain = [*parts, name + (@random.rand(2) == 0 ? "" : EXTENSIONS.sample(random: @random))].join("/")
    case @random.rand(40)
    when 0 then "#{plain}/"
    when 1 then plain.gsub("/", "//")
    when 2 then "#{name}/../#{plain}"
    when 3 then "./r0/#{plain}"
    when 4 then File.join(@folder, "r1", plain)
    else plain
    end
  end

  def pick(list) = list[@random.rand(list.size)]
  def name = pick(NAMES)
  def entry = name + EXTENSIONS.sample(random: @random)

  def target
    here = File.join(@folder, pick(%w[r0 r1 elsewhere]), name)
    [here, "#{here}.rb", name, "#{name}.rb", "..", "."][@random.rand(6)]
  end

  def put(path)
    FileUtils.rm_rf(path) if @random.rand(3) == 0
    yield
  end

  def rename(path)
    other = Dir[File.join(@folder, "r*", "*")].sort.sample(random: @random)
    File.rename(other, path) if other
  end
end
