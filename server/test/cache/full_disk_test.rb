# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # The cache survives a full disk. The store is a file system of two megabytes that only the server sees.
    class CacheFullDiskTest < Minitest::Test
      include Cached

      def test_a_full_disk
        alone = Process.uid.zero? ? "-m" : "-rm"
        FileUtils.mkdir_p(store)
        mount = ["unshare", alone, "sh", "-c", "mount -t tmpfs -o size=2m none '#{store}' && exec \"$@\"", "sh"]
        possible = system(*mount, "true", %i[out err] => File::NULL)
        skip "no file system can be mounted here" unless possible

        cache(wrapper: mount)
        contents = Array.new(4) { |index| Random.new(index).bytes(700_000) }
        assert_equal [201, 201, 507, 507], contents.map { |content| code(put(blob(content), content)) }
        assert_equal [200, 200, 404, 404], contents.map { |content| code(fetch(blob(content))) }
        assert_equal 204, code(delete(blob(contents[0])))
        assert_equal 201, code(put(blob(contents[2]), contents[2])), "what could not be stored left nothing"
        assert_match(/cannot be stored: No space left on device/, stop.last)
      end
    end
  end
end
