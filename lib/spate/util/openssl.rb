# frozen_string_literal: true

module Spate
  module Util
    # Ruby's openssl, which RubyGems and net/http load too: two threads at once would find it half loaded.
    module Openssl
      LOADING = Mutex.new
      private_constant :LOADING

      def self.load = LOADING.synchronize { require "openssl" }
    end
  end
end
