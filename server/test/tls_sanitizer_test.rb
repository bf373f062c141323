# frozen_string_literal: true

require "test_helper"
require "support/sanitized"

module Spate
  module Server
    class TLSSanitizerTest < Minitest::Test
      include Sanitized

      def test_under_sanitizers
        assert_clean %w[tls], %w[tls_connection_test.rb]
      end
    end
  end
end
