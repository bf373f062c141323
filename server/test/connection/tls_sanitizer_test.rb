# frozen_string_literal: true

require "test_helper"
require "support/clean"

module Spate
  module Server
    class TLSSanitizerTest < Minitest::Test
      include Clean

      def test_under_sanitizers
        assert_clean %w[tls], %w[connection/tls_test.rb]
      end
    end
  end
end
