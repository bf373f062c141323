# frozen_string_literal: true

require "cli/in_place_case"
require "support/project"

# An installed bundle with the record of an install. After each change, the front end may run the command itself only if
# the Ruby launcher prints the same and changes nothing.
class StaleCase < InPlaceCase
  # Sizes in bytes and flags of the record: see core/front/in_place_record.h.
  HEADER = 88
  FOLDER = 8
  MARK = 56
  ABSENT, FOLLOW = [1, 2].freeze
  # Paths in the store that an install renews if a time differs and the content does not.
  RENEWED = %r{/spate/store/v1/(?:checks|locks|in-place)(?:/|\z)}

  # A path that an install checked. place: offset of the mark in the record.
  Mark = Struct.new(:path, :facts, :place) do
    def absent? = facts.anybits?(ABSENT)
    def state = facts.anybits?(FOLLOW) ? File.stat(path) : File.lstat(path)
  end

  def setup
    super
    @source = GemSource.start
    @source.add("tool", "1.0", files: { "lib/tool.rb" => "TOOL = 1\n", "bin/tool" => "#!/usr/bin/env ruby\n" },
                               executables: ["tool"])
    @source.add("base", "1.0", files: { "lib/base.rb" => "BASE = 1\n", "lib/base/more.rb" => "MORE = 2\n" })
    @project = Spate::TestProject.new(File.join(folder, "app"), gemfile, home: File.join(folder, "user"))
    lock
    prepare
    @project.spate!("install")
    learn
  end

  def teardown
    @source&.stop
    super
  end

  # A Gemfile with gems and the lines in `more`.
  def gemfile(more = "") = "source '#{@source.url}'\ngem 'tool'\ngem 'base'\n#{more}"
  def prepare = nil

  def lock
    File.write(path("Gemfile.lock"), <<~LOCK)
      GEM
        remote: #{@source.url}
        specs:
          base (1.0)
          tool (1.0)

      PLATFORMS
        #{Gem::Platform.local}

      DEPENDENCIES
        base
        tool

      BUNDLED WITH
         2.3.15
    LOCK
  end

  def path(*names) = File.join(folder, "app", *names)
  def user(*names) = File.join(folder, "user", *names)
  def store(*names) = user("spate/store/v1", *names)
  def bundle(*names) = Dir.glob(path("vendor/bundle/ruby/*")).first.then { |place| File.join(place, *names) }
  def dir = @project ? path : folder
  def home = user("spate")
  def environment = @project ? super.merge(@project.env, INSTALLED, more) : super
  # Variables of one test. Compiling Spate's own files in the background would change paths that an install checks.
  def more = { "SPATE_NO_OWN_CODE" => "1", **@more.to_h }

  # Runs the front end. If it needs no Ruby, compares the result with Ruby's. Returns whether it needed none.
  def vary(name, words: %w[install], **options)
    answered?(*words, **options) && assert_same_as_ruby(name, *words, **options)
  end

  # Calls the block to make a change, runs the front end, and calls `undo`, which restores everything except inodes and
  # times. Returns whether the front end needed no Ruby after the change. It must need none after the undo.
  def try(name, undo = nil, **options)
    yield if block_given?
    answered = vary(name, **options)
    undo&.call
    renew if undo || block_given?
    assert answered?, "#{name}: no answer after the change was undone"
    answered
  end

  def assert_same_as_ruby(name, *words, before: [], **options)
    was = state
    found, expected = [front, ruby].map { |program| run_program(*before, program, *words, **options) }
    assert_equal plain(expected), plain(found), "#{name}: the front end differs from Ruby"
    assert_equal was, state, "#{name}: an install by Ruby changes this"
  end

  def plain(result) = result.map { |value| value.to_s.gsub(Spate::SpateCommand::TIMES, "") }

  # Every path of the application and its user, with the facts that a write would change.
  def state
    paths = Dir.glob("{app,user}/**/*", File::FNM_DOTMATCH, base: folder).sort
    paths.grep_v(RENEWED).to_h do |path|
      stat = File.lstat(File.join(folder, path))
      [path, [stat.ino, stat.mode, stat.uid, stat.directory? ? 0 : stat.size, stat.directory? ? 0 : stat.mtime]]
    end
  end

  # ---- the record ----

  def marks
    bytes = File.binread(record)
    folders, count = bytes.unpack("@12L2")
    texts = bytes[(HEADER + (folders * FOLDER) + (count * MARK))..]
    text = ->(place) { texts[place..].unpack1("Z*") }
    place = HEADER + (folders * FOLDER)
    bytes.unpack("@#{HEADER}#{"L2" * folders}").each_slice(2).flat_map do |folder, size|
      Array.new(size) do
        name, facts = bytes.unpack("@#{place + 40}L2")
        Mark.new(File.join(text.call(folder), text.call(name)), facts, place).tap { place += MARK }
      end
    end
  end

  # Writes current inodes and times into the record. The result equals a new record of the same paths.
  def renew
    bytes = File.binread(record)
    marks.reject(&:absent?).each do |mark|
      stat = mark.state
      bytes[mark.place, 40] = [stat.dev, stat.ino, stat.size, nanoseconds(stat.mtime),
                               nanoseconds(stat.ctime)].pack("Q3q2")
    end
    put(bytes)
  end

  def nanoseconds(time) = (time.to_i * 1_000_000_000) + time.nsec

  # ---- changes ----

  # Moves a path away and yields its new path. Returns a lambda that moves it back.
  def aside(path)
    @asides = @asides.to_i + 1
    place = File.join(FileUtils.mkdir_p(File.join(folder, "aside")).first, @asides.to_s)
    File.rename(path, place)
    yield place if block_given?
    lambda do
      FileUtils.rm_rf(path)
      File.rename(place, path)
    end
  end

  # Runs a block that changes a file in place (same inode). Returns a lambda that restores content and times.
  def edited(path)
    before = File.binread(path)
    stat = File.stat(path)
    yield before, stat
    lambda do
      File.binwrite(path, before)
      File.utime(stat.atime, stat.mtime, path)
    end
  end

  # Runs a block that creates a missing path. Returns a lambda that removes it.
  def made(path)
    missing = path
    missing = File.dirname(missing) until File.exist?(File.dirname(missing))
    FileUtils.mkdir_p(File.dirname(path))
    yield
    -> { FileUtils.rm_rf(missing) }
  end

  # ---- mounts ----

  # Words before a program that run it in a separate mount namespace, after `command`.
  def mounted(command) = ["unshare", "-m", "sh", "-c", "#{command} && exec \"$@\"", "-"]

  # Removes the mounts from the record, which contains them only if the file times are not in nanoseconds. Skips the
  # test if mounting is not possible.
  def ignore_mounts
    run_program(*mounted("mount -t tmpfs none #{folder}"), "true").last.zero? || skip("mount does not work here")
    put(File.binread(record).tap { |bytes| bytes[72, 16] = "\0" * 16 })
  end

  # Mounts a copy of a file or folder over it, and runs the front end. The block may change the copy.
  def cover(place)
    copy = File.join(FileUtils.mkdir_p(File.join(folder, "copies")).first, File.basename(place))
    FileUtils.cp_r(place, copy, preserve: true)
    yield copy if block_given?
    vary("a copy over #{place}", before: mounted("mount --bind #{copy} #{place}"))
  ensure
    FileUtils.rm_rf(copy)
  end
end
