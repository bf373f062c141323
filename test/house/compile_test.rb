# frozen_string_literal: true

require "test_helper"
require "open3"

class CompileTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)

  def test_with_nothing_changed_nothing_is_built
    Open3.capture2e("ruby", "bin/compile", chdir: ROOT)
    before = Dir["#{ROOT}/{,bytes/}lib/spate/native/*"].to_h { |path| [path, File.stat(path).mtime] }
    output, status = Open3.capture2e("ruby", "bin/compile", chdir: ROOT)

    assert_equal ["", true], [output, status.success?]
    assert_equal before, (Dir["#{ROOT}/{,bytes/}lib/spate/native/*"].to_h { |path| [path, File.stat(path).mtime] })
  end
end
