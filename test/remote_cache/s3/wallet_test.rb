# frozen_string_literal: true

require "test_helper"

class WalletTest < Minitest::Test
  Unavailable = Spate::RemoteCache::Unavailable
  # Who is asked for keys: how often, and until when it says no.
  Providers = Struct.new(:asked, :gate) do
    def find
      asked << true
      gate.pop
      raise Unavailable.new(:credentials, "s3://acme", "says no")
    end
  end

  # Where it takes long to be refused, it takes long once.
  def test_a_refusal_is_that_of_all_who_waited
    providers = Providers.new(Thread::Queue.new, Thread::Queue.new)
    wallet = Spate::RemoteCache::S3::Wallet.new("s3://acme", providers)
    threads = Array.new(6) { Thread.new { assert_raises(Unavailable) { wallet.keys } } }
    sleep 0.01 until threads.all? { |thread| thread.status == "sleep" }
    6.times { providers.gate << true }

    assert_equal ["the cache s3://acme has no credentials: says no"], threads.map { |t| t.value.message }.uniq
    assert_equal 1, providers.asked.size
    assert_raises(Unavailable) { wallet.keys }
    assert_equal 2, providers.asked.size, "who asks later may have better luck"
  end
end
