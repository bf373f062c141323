# frozen_string_literal: true

require "etc"
require "json"
require "zlib"
require_relative "server_program"

# OpenStack's Swift with its S3 interface, from Debian's packages: account, container, object and proxy server, on one
# disk. It is a second S3 implementation, and responds with 501 to conditional writes.
class Swift
  PARTS = %w[account container object].freeze
  KEYS = { "AWS_ACCESS_KEY_ID" => "test:tester", "AWS_SECRET_ACCESS_KEY" => "testing" }.freeze

  # The reason why it cannot run here, or nil.
  def self.missing
    names = [*PARTS, "proxy"].map { |name| "swift-#{name}-server" }
    missing = names.find { |name| !ServerProgram.find(name) }
    missing ? "no #{missing} on this machine" : ("no /etc/swift/swift.conf" unless File.exist?("/etc/swift/swift.conf"))
  end

  def initialize(home)
    @home = home
    FileUtils.mkdir_p("#{home}/devices/disk")
    parts = PARTS.map { |part| Thread.new { start(part, "", "use = egg:swift##{part}\n") { |port| ring(part, port) } } }
    @servers = parts.map(&:value)
    @servers << start("proxy", "catch_errors cache s3api tempauth", <<~CONF)
      use = egg:swift#proxy
      allow_account_management = true
      account_autocreate = true
      [filter:catch_errors]
      use = egg:swift#catch_errors
      [filter:cache]
      use = egg:swift#memcache
      memcache_servers = 127.0.0.1:1
      [filter:s3api]
      use = egg:swift#s3api
      s3_acl = false
      storage_domain = s3.test
      auth_pipeline_check = false
      [filter:tempauth]
      use = egg:swift#tempauth
      user_test_tester = testing .admin
    CONF
  end

  def url = @servers.last.url

  def stop = @servers.reverse_each(&:stop)

  private

  # The ring file for a kind of server: four parts with one replica on one disk. Swift's own tool takes twenty seconds
  # for this. Format: "R1NG", version and length of the JSON, the JSON, then the disk of each part.
  def ring(part, port)
    disk = { id: 0, region: 1, zone: 1, ip: "127.0.0.1", port: port, replication_ip: "127.0.0.1",
             replication_port: port, device: "disk", weight: 1.0, meta: "" }
    facts = JSON.generate(devs: [disk], part_shift: 30, replica_count: 1, byteorder: "little")
    Zlib::GzipWriter.open("#{@home}/#{part}.ring.gz") do |file|
      file.write(["R1NG", 1, facts.bytesize].pack("a4nN"), facts, [0, 0, 0, 0].pack("v4"))
    end
  end

  def start(part, filters, settings)
    port = ServerProgram.free_port
    yield port if block_given?
    path = "#{@home}/#{part}.conf"
    File.write(path, <<~CONF)
      [DEFAULT]
      bind_ip = 127.0.0.1
      bind_port = #{port}
      user = #{Etc.getpwuid.name}
      swift_dir = #{@home}
      devices = #{@home}/devices
      mount_check = false
      workers = 0
      [pipeline:main]
      pipeline = #{filters} #{part}-server
      [app:#{part}-server]
      #{settings}
    CONF
    ServerProgram.new(ServerProgram.find("swift-#{part}-server"), path, "-v", port: port, log: "#{@home}/#{part}.log")
  end
end
