# frozen_string_literal: true

require "test_helper"
require "support/clean"

module Spate
  module Server
    # Outboxes, header tables and folders.
    class FilesSanitizerTest < Minitest::Test
      include Clean

      def test_under_sanitizers
        assert_clean %w[files io http2],
                     %w[connection/outbox_test.rb files/folder_test.rb files/ranges_test.rb files_test.rb
                        http2/hpack_test.rb]
      end
    end
  end
end
