# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_tools"

class ActionResultTest < Minitest::Test
  ActionResult = Spate::RemoteCache::Document::ActionResult
  Malformed = Spate::RemoteCache::Malformed
  # The fields that Spate uses, and some that it does not know.
  PROTO = <<~PROTO
    syntax = "proto3";
    message Digest { string hash = 1; int64 size_bytes = 2; }
    message OutputFile { string path = 1; Digest digest = 2; bool is_executable = 4; }
    message Metadata { string worker = 1; double load = 20; fixed32 sum = 21; }
    message ActionResult {
      repeated OutputFile output_files = 2; int32 exit_code = 4; bytes stdout_raw = 5; Metadata execution_metadata = 9;
    }
  PROTO
  SCRIPT = <<~JS
    const protobuf = require("protobufjs");
    const root = protobuf.parse(process.argv[1]).root;
    const type = root.lookupType("ActionResult");
    const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const read = type.decode(Buffer.from(given.bytes, "base64"));
    const written = type.encode(type.fromObject(given.object)).finish();
    console.log(JSON.stringify({ read: type.toObject(read, { longs: String, bytes: String }),
                                 written: Buffer.from(written).toString("base64") }));
  JS

  def result(files: 2, stdout: "\x00\xffentries\n".b)
    sizes = [0, 127, 128, 300, 1 << 20, (1 << 62) + 1]
    ActionResult.new(Array.new(files) { |index| ActionResult::File.new("gém-#{index}", hex(index), sizes[index % 6]) },
                     stdout)
  end

  def hex(index) = Spate::Store.sha256(index.to_s)

  def test_another_implementation_reads_and_writes_the_same_bytes
    [result, result(files: 0), result(files: 6, stdout: "x" * 70_000)].each do |mine|
      files = mine.files.map { |file| { path: file.path, digest: { hash: file.sha256, sizeBytes: file.bytes.to_s } } }
      object = { outputFiles: files, stdoutRaw: [mine.stdout].pack("m0") }
      more = { exitCode: 300, executionMetadata: { worker: "w", load: 1.5, sum: 7 } }
      theirs = protobufjs(mine.encode, object.merge(more))
      told = theirs["read"].fetch("outputFiles", []).map do |file|
        [file["path"], file.dig("digest", "hash"), file.dig("digest", "sizeBytes").to_i]
      end

      assert_equal mine.files.map(&:to_a), told
      assert_equal mine.stdout, theirs["read"]["stdoutRaw"].unpack1("m")
      assert_equal mine, ActionResult.decode(theirs["written"].unpack1("m"))
    end
  end

  def test_round_trip
    [result, result(files: 64), result(stdout: "".b)].each do |made|
      assert_equal made, ActionResult.decode(made.encode)
    end
    assert_equal ActionResult.new([], "".b), ActionResult.decode("")
  end

  def test_hostile_bytes_raise_only_the_documented_error
    bytes = result.encode
    random = Random.new(1)
    hostile = Array.new(2000) do
      copy = bytes.dup
      rand_edits(copy, random)
      copy
    end
    hostile += (0...bytes.bytesize).map { |length| bytes.byteslice(0, length) }
    hostile += Array.new(500) { random.bytes(random.rand(200)) }
    outcomes = hostile.map do |copy|
      ActionResult.decode(copy).class
    rescue Malformed
      :malformed
    end

    assert_equal [ActionResult, :malformed], outcomes.uniq.sort_by(&:to_s)
  end

  def test_invalid_documents_are_refused
    no_digest = Spate::RemoteCache::Document::Wire.field(2, Spate::RemoteCache::Document::Wire.field(1, "a"))
    { "truncated" => "\x2a\x05ab", "type 3" => "\x0b\x01", "invalid field number" => "\x00\x01",
      "ten bytes" => "\x20#{"\xff" * 10}\x01", "without digest" => no_digest,
      "more than 4194304" => "\x00" * ((4 << 20) + 1),
      "more than 128 fields" => "\x18\x00" * 129,
      "more than 64 files" => result(files: 65).encode, "a number instead" => "\x10\x02",
      "wrong type" => "\x12\x02\x08\x01" }.each do |words, bytes|
      error = assert_raises(Malformed, words) { ActionResult.decode(bytes.b) }
      assert_includes error.message, words
    end
  end

  # The limit does not depend on who wrote the document or on the number of requests.
  def test_endless_fields_are_cheap
    bytes = "\x18\x00".b * (1 << 20)
    before = GC.stat(:total_allocated_objects)
    assert_raises(Malformed) { ActionResult.decode(bytes) }

    assert_operator GC.stat(:total_allocated_objects) - before, :<, 2_000
  end

  private

  def rand_edits(copy, random)
    random.rand(1..4).times { copy.setbyte(random.rand(copy.bytesize), random.rand(256)) }
    copy.slice!(random.rand(copy.bytesize), random.rand(9)) if random.rand(3).zero?
  end

  def protobufjs(bytes, object)
    modules = begin
      NpmTools.library("protobufjs")
    rescue RuntimeError => e
      skip "no protobufjs: #{e.message.lines.first}"
    end
    output, status = Open3.capture2e({ "NODE_PATH" => modules }, "node", "-e", SCRIPT, PROTO,
                                     stdin_data: JSON.generate(bytes: [bytes].pack("m0"), object: object))
    assert_predicate status, :success?, output
    JSON.parse(output)
  end
end
