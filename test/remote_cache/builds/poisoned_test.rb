# frozen_string_literal: true

require "test_helper"
require "spate/native/install"
require_relative "../../../fuzz/remote_cache/machine"

# What somebody says of a build whose key is trusted, and who means no good: a reason not to take it, and no more.
class PoisonedBuildsTest < Minitest::Test
  Records = Spate::RemoteCache::Entry::Records

  def machine = @machine ||= Machine.new(folder)

  def chosen(inputs: machine.inputs, needs: machine.inputs, facts: machine.facts)
    machine.choose(machine.document(Records.new(inputs, needs, facts).pack))
  end

  def test_what_is_as_it_should_be
    assert_kind_of Spate::RemoteCache::Builds::Offer, chosen
  end

  # The path of a record on this machine that holds here, whatever the build's inputs are.
  def test_a_path_in_place_of_a_record
    path = write("record", machine.inputs)

    assert_equal ["its inputs are no record"], chosen(inputs: path)
    assert_equal ["its inputs are no record"], chosen(needs: path)
    assert_equal ["its inputs are no record"], chosen(inputs: "")
  end

  def test_bytes_that_no_path_and_no_name_has
    assert_equal ["its facts are no text"], chosen(facts: "#{machine.facts}program\tg\0cc\t/usr/bin/gcc\n")
  end

  def test_records_that_are_damaged
    whole = machine.inputs
    (8...whole.bytesize).step(9).each do |length|
      assert_kind_of Array, chosen(inputs: whole.byteslice(0, length)), length
    end
  end
end
