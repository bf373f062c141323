# frozen_string_literal: true

require_relative "stale_case"

# Truncates, changes and replaces the record, or changes its owner. core/test/front/in_place_test.c tries each byte.
class StaleRecordTest < StaleCase
  SAMPLES = 60

  def setup
    super
    @path = record
    @bytes = File.binread(@path)
    @random = Random.new(Spate.test_seed)
  end

  # Asserts that the front end rejects a record with these bytes, and accepts the original again.
  def doubted(name, bytes)
    File.binwrite(@path, bytes)
    refute answered?, name
  end

  def places = [*0...HEADER, *Array.new(SAMPLES) { @random.rand(HEADER...@bytes.size) }]

  def test_cut_off
    places.each { |length| doubted("#{length} bytes", @bytes.byteslice(0, length)) }
    doubted("without its last byte", @bytes.byteslice(0, @bytes.size - 1))
    doubted("with one byte more", "#{@bytes}\0")
    doubted("twice", @bytes * 2)
    File.binwrite(@path, @bytes)
    assert answered?
  end

  def test_changed_bytes
    places.each do |place|
      changed = @bytes.dup
      changed.setbyte(place, changed.getbyte(place) ^ (1 << @random.rand(8)))
      doubted("byte #{place}", changed)
    end
    File.binwrite(@path, @bytes)
    assert answered?
  end

  # A power failure may leave pages of zeros.
  def test_pages_of_zeros
    (0..@bytes.size).step(4096) do |place|
      length = [4096, @bytes.size - place].min
      doubted("zeros at #{place}", @bytes.dup.tap { |bytes| bytes[place, length] = "\0" * length })
    end
  end

  def test_other_versions
    [*"0".."9", "\0", "a"].each do |version|
      put(@bytes.dup.tap { |bytes| bytes[7] = version })
      assert_equal version == Spate::CLI::InPlace::Record::MAGIC[7], answered?, version
    end
  end

  OTHERS = {
    "a folder" => ->(path, _) { Dir.mkdir(path) }, "a link to it" => ->(path, old) { File.symlink(old, path) },
    "a pipe" => ->(path, _) { File.mkfifo(path) }, "a device" => ->(path, _) { File.symlink("/dev/zero", path) },
    "empty" => ->(path, _) { File.write(path, "") }, "a reason" => ->(path, _) { File.write(path, "it wrote a file") },
    "too large" => ->(path, old) { File.write(path, File.binread(old)) && File.truncate(path, (256 << 20) + 1) }
  }.freeze

  def test_other_files
    OTHERS.each do |name, change|
      undo = aside(@path) { |old| change.call(@path, old) }
      refute answered?, name
      undo.call
      assert answered?, "without #{name}"
    end
  end

  # The record, or a folder above it, is writable by its group or by others.
  def test_permissions
    [[@path, 0o620], [@path, 0o602], [File.dirname(@path), 0o777], [File.dirname(@path), 0o770], [store, 0o777],
     [user, 0o777]].each do |place, mode|
      before = File.stat(place).mode & 0o7777
      File.chmod(mode, place)
      refute answered?, "#{place}: #{mode.to_s(8)}"
      File.chmod(before, place)
      assert answered?, "#{place}: #{before.to_s(8)}"
    end
  end

  def test_owners
    skip "only root can give files away" unless Process.uid.zero?
    [@path, File.dirname(@path), store].each do |place|
      File.chown(65_534, nil, place)
      refute answered?, place
      File.chown(0, nil, place)
      renew
      assert answered?, place
    end
  end

  # The record is replaced while several processes read it.
  def test_replaced_while_it_is_read
    writer = Thread.new do
      200.times do |turn|
        Spate::Util::Files.write(@path, turn.even? ? @bytes : "no record", permissions: 0o600)
        Thread.pass
      end
    end
    results = Array.new(4) { Thread.new { Array.new(5) { run_program(front, "install") } } }.flat_map(&:value)
    writer.join

    assert_equal [plain(run_program(ruby, "install"))], results.map { |result| plain(result) }.uniq
  end
end
