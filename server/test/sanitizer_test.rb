# frozen_string_literal: true

require "test_helper"
require "support/clean"

module Spate
  module Server
    # Tests of the C extensions pass under sanitizers.
    class SanitizerTest < Minitest::Test
      include Clean

      def test_tls
        assert_clean %w[tls], %w[connection/tls_test.rb]
      end

      def test_write_buffers_header_tables_and_folders
        assert_clean %w[files io http2],
                     %w[connection/write_buffer_test.rb files/folder_test.rb files/ranges_test.rb files_test.rb
                        http2/hpack_test.rb]
      end
    end
  end
end
