# frozen_string_literal: true

module Spate
  module Util
    # Loads Ruby's openssl, which RubyGems and net/http also load: a second thread could otherwise find it half loaded.
    module Openssl
      LOADING = Mutex.new
      private_constant :LOADING

      def self.load = LOADING.synchronize { require "openssl" }
    end
  end
end
