# frozen_string_literal: true

require "cli/in_place_case"
require "support/project"

# A bundle in place, with the record of an install. After each change the front end may answer only if the launcher in
# Ruby prints the same, and changes nothing.
class StaleCase < InPlaceCase
  # core/front/in_place_record.h
  HEADER = 88
  FOLDER = 8
  MARK = 56
  ABSENT, FOLLOW = [1, 2].freeze
  # What an install renews in the store when a time differs and the content does not.
  RENEWED = %r{/spate/store/v1/(?:checks|locks|in-place)(?:/|\z)}

  # A path that an install looked at. place: of the mark in the record.
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

  # Gems, before `more`.
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
  # Variables of one test. A process that compiles Spate's own files would change what an install looks at.
  def more = { "SPATE_NO_OWN_CODE" => "1", **@more.to_h }

  # Compares with Ruby if the front end answers. Returns whether it does.
  def vary(name, words: %w[install], **options)
    answered?(*words, **options) && assert_same_as_ruby(name, *words, **options)
  end

  # Asks the front end after a change (a block). undo: restores everything but inodes and times.
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

  # Every path of the application and its user: what a write would change.
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

  # Writes the present inodes and times into the record, as a new record of the same paths would have them.
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

  # Moves a path away. Returns the undo; yields the new place.
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

  # Runs a block that changes the content of a file in its inode. Returns the undo.
  def edited(path)
    before = File.binread(path)
    stat = File.stat(path)
    yield before, stat
    lambda do
      File.binwrite(path, before)
      File.utime(stat.atime, stat.mtime, path)
    end
  end

  # Runs a block that makes a missing path. Returns the undo.
  def made(path)
    missing = path
    missing = File.dirname(missing) until File.exist?(File.dirname(missing))
    FileUtils.mkdir_p(File.dirname(path))
    yield
    -> { FileUtils.rm_rf(missing) }
  end

  # ---- mounts ----

  # Words that start a program with other mounts.
  def mounted(command) = ["unshare", "-m", "sh", "-c", "#{command} && exec \"$@\"", "-"]

  # As on a system whose files have times in nanoseconds; otherwise the record has the mounts.
  def ignore_mounts
    run_program(*mounted("mount -t tmpfs none #{folder}"), "true").last.zero? || skip("mount does not work here")
    put(File.binread(record).tap { |bytes| bytes[72, 16] = "\0" * 16 })
  end

  # Mounts a copy of the place over it, which the block may change.
  def cover(place)
    copy = File.join(FileUtils.mkdir_p(File.join(folder, "copies")).first, File.basename(place))
    FileUtils.cp_r(place, copy, preserve: true)
    yield copy if block_given?
    vary("a copy over #{place}", before: mounted("mount --bind #{copy} #{place}"))
  ensure
    FileUtils.rm_rf(copy)
  end
end
