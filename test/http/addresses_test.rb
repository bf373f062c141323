# frozen_string_literal: true

require "test_helper"

# A host is resolved once, and all of its addresses are tried.
class AddressesTest < Minitest::Test
  def setup
    @addresses = Spate::HTTP::Addresses.new
    @lookups = Thread::Queue.new
    lookups = @lookups
    @addresses.define_singleton_method(:look_up) do |host|
      lookups << host
      sleep 0.01
      %w[192.0.2.1 192.0.2.2 192.0.2.3]
    end
  end

  def test_one_lookup_for_many_threads
    threads = Array.new(16) { Thread.new { @addresses.try_each("h.test") { |address| address } } }

    assert_equal ["192.0.2.1"], threads.map(&:value).uniq
    assert_equal 1, @lookups.size
  end

  def test_next_address_is_tried_when_the_first_refuses
    tried = []
    2.times do
      @addresses.try_each("h.test") do |address|
        tried << address
        raise Errno::ECONNREFUSED if address.end_with?("1")
      end
    end

    assert_equal %w[192.0.2.1 192.0.2.2 192.0.2.2], tried, "the one that answered is the first next time"
    assert_raises(Errno::EHOSTUNREACH) { @addresses.try_each("h.test") { raise Errno::EHOSTUNREACH } }
  end

  # These errors would also occur with a different address, so only one is tried.
  def test_other_errors_are_raised_to_the_caller
    tried = 0
    assert_raises(ArgumentError) { @addresses.try_each("h.test") { raise ArgumentError, (tried += 1).to_s } }
    assert_equal 1, tried
  end

  # Concurrent callers get the same result, even if it is an error.
  def test_failed_lookup_fails_for_all_waiting_threads
    gate = Thread::Queue.new
    lookups = @lookups
    @addresses.define_singleton_method(:look_up) do |host|
      lookups << host
      gate.pop
      raise SocketError, "no answer"
    end
    threads = Array.new(8) { Thread.new { assert_raises(SocketError) { @addresses.try_each("h.test") { flunk } } } }
    sleep 0.01 until threads.all? { |thread| thread.status == "sleep" }
    8.times { gate << true }
    threads.each(&:join)

    assert_equal 1, @lookups.size
  end

  # If the resolver does not respond for a host, all of its callers share one time limit. Other hosts are not affected.
  def test_a_look_up_has_a_limit
    addresses = Spate::HTTP::Addresses.new(0.1)
    addresses.define_singleton_method(:look_up) { |host| host == "h.test" ? sleep : [host] }
    waiting = Array.new(4) { Thread.new { assert_raises(SocketError) { addresses.try_each("h.test") { flunk } } } }

    assert_equal "192.0.2.1", addresses.try_each("192.0.2.1") { |address| address }
    waiting.each { |thread| assert_match(/DNS lookup of h.test timed out/, thread.value.message) }
  end

  def test_unknown_name_is_looked_up_again
    addresses = Spate::HTTP::Addresses.new
    2.times { assert_raises(SocketError) { addresses.try_each("unknown.invalid") { flunk } } }
    assert_equal "127.0.0.1", addresses.try_each("127.0.0.1") { |address| address }
  end
end
