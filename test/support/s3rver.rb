# frozen_string_literal: true

require_relative "npm_tools"
require_relative "server_program"

# s3rver, a small S3 server from npm. It ignores conditional headers.
module S3rver
  VERSION = "3.7.1"
  KEYS = { "AWS_ACCESS_KEY_ID" => "S3RVER", "AWS_SECRET_ACCESS_KEY" => "S3RVER" }.freeze

  # home: folder for its buckets. Raises RuntimeError or Errno::ENOENT if it cannot be started.
  def self.start(home, *buckets)
    program = NpmTools.pinned("s3rver", VERSION)
    port = ServerProgram.free_port
    ServerProgram.new(program, "-d", "#{home}/s3rver", "-a", "127.0.0.1", "-p", port.to_s,
                      *buckets.flat_map { |name| ["--configure-bucket", name] }, port: port, log: "#{home}/log")
  end
end
