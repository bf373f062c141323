# frozen_string_literal: true

require_relative "stale_case"

# Changes each path that an install checked, in each way that its file type allows.
class StaleFilesTest < StaleCase
  NOBODY = 65_534

  # Changes of a regular file. Each lambda returns the undo.
  FILE = {
    "edited" => ->(t, path) { t.edited(path) { |text| File.binwrite(path, "#{text}\n# edited\n") } },
    "emptied" => ->(t, path) { t.edited(path) { File.truncate(path, 0) } },
    "edited, with its size and time" => lambda do |t, path|
      t.edited(path) do |text, stat|
        File.binwrite(path, text.reverse)
        File.utime(stat.atime, stat.mtime, path)
      end
    end,
    "replaced, with its size and time" => lambda do |t, path|
      t.aside(path) do |old|
        File.binwrite(path, File.binread(old).reverse)
        t.like(old, path)
      end
    end,
    "replaced by a copy" => ->(t, path) { t.aside(path) { |old| FileUtils.cp(old, path, preserve: true) } },
    "replaced by a folder" => ->(t, path) { t.aside(path) { Dir.mkdir(path) } },
    "touched" => ->(t, path) { t.edited(path) { File.utime(0, 0, path) } }
  }.freeze

  FOLDER = {
    "replaced by a copy" => ->(t, path) { t.aside(path) { |old| FileUtils.cp_r(old, path, preserve: true) } },
    "replaced by an empty folder" => ->(t, path) { t.aside(path) { Dir.mkdir(path) } },
    "replaced by a file" => ->(t, path) { t.aside(path) { File.write(path, "") } }
  }.freeze

  # Changes of files and folders. Each lambda returns the undo.
  ANY = {
    "removed" => ->(t, path) { t.aside(path) },
    "replaced by a link to it" => ->(t, path) { t.aside(path) { |old| File.symlink(old, path) } },
    "without permissions" => ->(t, path) { t.mode(path, 0) },
    "writable by others" => ->(t, path) { t.mode(path, File.stat(path).mode | 0o022) },
    "of another owner" => lambda do |_, path|
      File.chown(NOBODY, nil, path)
      -> { File.chown(0, nil, path) }
    end
  }.freeze

  ABSENT = {
    "an empty file" => ->(t, path) { t.made(path) { File.write(path, "") } },
    "settings" => ->(t, path) { t.made(path) { File.write(path, "---\nBUNDLE_WITHOUT: \"test\"\n") } },
    "a folder" => ->(t, path) { t.made(path) { Dir.mkdir(path) } },
    "a dangling link" => ->(t, path) { t.made(path) { File.symlink("missing", path) } },
    "a folder with names" => ->(t, path) { t.made(path) { FileUtils.mkdir_p("#{path}/a/b") } }
  }.freeze

  def mode(path, bits)
    before = File.stat(path).mode & 0o7777
    File.chmod(bits, path)
    -> { File.chmod(before, path) }
  end

  # Sets times and permissions to those of another file.
  def like(old, path)
    stat = File.stat(old)
    File.chmod(stat.mode & 0o7777, path)
    File.utime(stat.atime, stat.mtime, path)
  end

  # [path, whether it is missing] for each recorded path in the test's folder. Changing other paths would break the test
  # itself.
  def looked_at
    marks.map { |mark| [mark.path, mark.absent?] }.uniq.select { |path, _| path.start_with?("#{folder}/") }
  end

  def all(paths, changes)
    changes = changes.except("of another owner") unless Process.uid.zero?
    paths.each do |path|
      changes.each { |name, change| apply("#{path} #{name}", path, change) }
    end
    refute_empty paths
  end

  def apply(name, path, change)
    undo = nil
    try(name, -> { undo.call }) { undo = change.call(self, path) }
  end

  def test_files
    all(present.select { |path| File.file?(path) }, FILE.merge(ANY))
  end

  # Skips folders that contain the programs or the record.
  def test_folders
    places = present.select { |path| File.directory?(path) && !record.start_with?("#{path}/") && path != bin }
    all(places - [folder, path], FOLDER.merge(ANY))
  end

  def test_what_is_missing
    all(looked_at.select(&:last).map(&:first), ABSENT)
  end

  def present = looked_at.reject(&:last).map(&:first)
end
