# frozen_string_literal: true

require "cli/cli_case"
require "open3"
require "net/http"
require "timeout"

# `spate serve` starts the program of the gem spate-server.
class ServeTest < CLICase
  ROOT = File.expand_path("../..", __dir__)

  def command(root) = [RbConfig.ruby, "--disable-gems", "-I#{root}/lib", "#{root}/exe/spate", "serve"]

  def test_in_the_checkout
    write("public/hello.txt", "hello\n")
    reader, writer = IO.pipe
    pid = Process.spawn(*command(ROOT), "public", "--port", "0", chdir: folder, err: writer)
    writer.close
    line = Timeout.timeout(30) { reader.gets }
    assert_match(%r{\Aserving #{File.realpath(folder)}/public on http://127\.0\.0\.1:\d+$}, line)
    assert_equal "hello\n", Net::HTTP.get("127.0.0.1", "/hello.txt", line[/\d+$/].to_i)
    Process.kill(:TERM, pid)
    Process.wait(pid)
    assert_equal [0, nil], [$?.exitstatus, reader.gets]
  ensure
    reader&.close
  end

  def test_exit_codes_are_the_servers
    _, status = Open3.capture2e(*command(ROOT), chdir: folder)
    assert_equal 2, status.exitstatus
  end

  def test_without_the_gem
    FileUtils.cp_r(["#{ROOT}/lib", "#{ROOT}/exe"], folder)
    env = { "GEM_HOME" => "#{folder}/gems", "GEM_PATH" => "#{folder}/gems", "SPATE_NO_OWN_CODE" => "1" }
    output, status = Open3.capture2e(env, *command(folder), ".", chdir: folder)
    assert_equal <<~TEXT, output
      error: serving needs the gem spate-server, which is not installed for Ruby #{RUBY_VERSION}
      hint: gem install spate-server
    TEXT
    assert_equal 14, status.exitstatus
  end
end
