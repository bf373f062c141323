# frozen_string_literal: true

require "test_helper"
require "spate/native/install"
require_relative "../../../fuzz/remote_cache/machine"

# Malicious facts signed with a trusted key. The build must be rejected without any other effect.
class PoisonedBuildsTest < Minitest::Test
  Records = Spate::RemoteCache::Entry::Records

  def machine = @machine ||= Machine.new(folder)

  def chosen(inputs: machine.inputs, needs: machine.inputs, facts: machine.facts)
    machine.choose(machine.document(Records.new(inputs, needs, facts).pack))
  end

  def test_valid_entry_is_chosen
    assert_kind_of Spate::RemoteCache::Builds::Offer, chosen
  end

  # If a path were accepted as a record, a valid record on this machine would match any inputs of the build.
  def test_path_in_place_of_a_record
    path = write("record", machine.inputs)

    assert_equal ["its inputs are invalid"], chosen(inputs: path)
    assert_equal ["its inputs are invalid"], chosen(needs: path)
    assert_equal ["its inputs are invalid"], chosen(inputs: "")
  end

  def test_bytes_that_are_invalid_in_paths_and_names
    assert_equal ["its facts contain a null byte"], chosen(facts: "#{machine.facts}program\tg\0cc\t/usr/bin/gcc\n")
  end

  def test_records_that_are_damaged
    whole = machine.inputs
    (8...whole.bytesize).step(9).each do |length|
      assert_kind_of Array, chosen(inputs: whole.byteslice(0, length)), length
    end
  end
end
