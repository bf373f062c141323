# frozen_string_literal: true

require "test_helper"
require "spate/build/trace/real_paths"

module Spate
  module Build
    class RealPathsTest < Minitest::Test
      include TestFolders

      # Threads of builds have a small stack, and a path in a probe may be as long as the kernel allows.
      def test_deep_path_does_not_overflow_the_stack
        path = "/x" * 2000
        assert_equal [path, []], Thread.new { Trace::RealPaths.new.of(path) }.value
      end

      def test_circular_links
        20.times { |number| File.symlink("b#{number + 1}/../b#{number + 1}", "#{folder}/b#{number}") }
        Dir.mkdir("#{folder}/b20")
        led, links = Trace::RealPaths.new.of("#{File.realpath(folder)}/b0")
        assert_equal ["#{File.realpath(folder)}/b20", 20], [led, links.size]
      end
    end
  end
end
