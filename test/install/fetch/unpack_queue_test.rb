# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "tmpdir"

# Archives wait for their unpacking: those with extensions first, no other order changes, none is lost.
class UnpackQueueTest < Minitest::Test
  Archive = Struct.new(:path)

  def setup
    @folder = Dir.mktmpdir
    @queue = Spate::Install::Fetch::UnpackQueue.new
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def archive(name, **how)
    bytes = GemSource::Recipe.new(name, "1.0", **how).archive
    File.binwrite("#{@folder}/#{name}", bytes)
    push(name)
  end

  def push(name) = @queue.push(name, Archive.new("#{@folder}/#{name}"))

  def names
    @queue.close
    Array.new(20) { @queue.pop&.first }.compact
  end

  def test_gems_with_extensions_come_first
    archive("plain")
    archive("built", native: true)
    archive("other")
    archive("also-built", native: true, executables: ["tool"]) { |spec| spec.description = "extensions:\n- none" }
    assert_equal %w[built also-built plain other], names
  end

  # Signed gems have certificates before their extensions, and some have thousands of files after them.
  def test_long_metadata
    archive("plain", files: Array.new(3000) { |number| ["lib/file#{number}.rb", ""] }.to_h)
    archive("signed", native: true) { |spec| spec.cert_chain = [Random.new(1).bytes(1500).unpack1("H*")] }
    assert_equal %w[signed plain], names
  end

  def test_what_is_no_archive_waits_its_turn
    { "empty" => "", "short" => "metadata.gz\0", "text" => "x" * 9000, "no-gzip" => "metadata.gz\0".ljust(9000, "7"),
      "huge" => "metadata.gz\0".ljust(124, "\0") + "77777777777\0".ljust(9000, "\xff") }.each do |name, bytes|
      File.binwrite("#{@folder}/#{name}", bytes)
      push(name)
    end
    push("gone")
    assert_equal %w[empty short text no-gzip huge gone], names
  end

  def test_who_waits_is_woken
    taken = Thread.new { [@queue.pop&.first, @queue.pop&.first] }
    Thread.pass until taken.status == "sleep"
    archive("plain")
    @queue.close
    assert_equal ["plain", nil], taken.value
    assert_raises(ClosedQueueError) { push("plain") }
  end
end
