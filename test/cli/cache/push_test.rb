# frozen_string_literal: true

require "install/team/team_case"
require "support/cache_server"

# `spate cache push`: invalid and failed responses, the order of the uploads, and the time limit.
class CachePushTest < TeamCase
  def setup
    super
    @source.add("plain", "1.0")
    native("alpha")
    install(@project = machine("first", "alpha", "plain"))
    @server = CacheServer.new(@cache).start
  end

  def teardown
    @server&.stop
    super
  end

  def test_one_invalid_response_does_not_end_the_others
    push(@project)
    document = Dir.glob("#{@cache}/ac/*").min
    FileUtils.rm_rf("#{@cache}/cas")
    FileUtils.rm(document)
    Dir.mkdir(document)
    output, status = @project.spate("cache", "push", SPATE_CACHE_KEY: @key.to_pem)

    assert_equal 6, status.exitstatus, output
    assert_match(%r{^error: the cache #{@cache} has an entry ac/#{File.basename(document)} that is no}, output)
    archives = Dir.glob("#{folder}/first/home/spate/store/v1/archives/*").map { |path| File.basename(path, ".gem") }
    assert_equal archives.sort, Dir.children("#{@cache}/cas").sort & archives
  end

  # A server responds with 500, for example, if its folder belongs to another user.
  def test_failed_uploads_are_counted
    @server.fault(//, :status, code: 500)
    output, status = @project.spate("cache", "push", SPATE_CACHE: @server.url, SPATE_CACHE_KEY: @key.to_pem)
    assert_equal 6, status.exitstatus, output
    assert_match(/^4 not sent\nerror: .* returned 500/, output)
  end

  def test_each_machine_sends_in_its_own_order
    names = %w[a b c d e f g].each { |name| @source.add(name, "1.0") }
    install(project = machine("third", *names))
    orders = Array.new(3) do
      output, = project.spate("cache", "push", "--json", SPATE_CACHE_KEY: @key.to_pem)
      output.scan(/"kind":"archive","name":"(\w)-1.0"/).flatten
    end
    orders.each { |order| assert_equal names, order.sort }
    assert_operator orders.uniq.size, :>, 1
  end

  # The limit also applies in the middle of a response.
  def test_time_in_the_background_is_limited
    @server.fault(/cas|ac/, :stall)
    over = File.join(folder, "over")
    wait = "Kernel.sleep(0.02) until File.exist?(#{over.dump})"
    program = "require 'spate/cli'; Spate::CLI::Cache::Push.class_eval { def sleep(_) = (#{wait}) }; " \
              "exit Spate::CLI.start(%w[cache push --noted])"
    asked = Thread.new do
      sleep 0.02 until @server.requests.any?
      FileUtils.touch(over)
    end
    output, status = @project.run(*ruby, "-e", program, SPATE_CACHE: @server.url, SPATE_CACHE_KEY: @key.to_pem)

    assert_equal 0, status.exitstatus, output
    assert asked.join(1), "the server was not asked"
  end

  def ruby = [RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../../lib", __dir__)}", "-rspate"]
end
