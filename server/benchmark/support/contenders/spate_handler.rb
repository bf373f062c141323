# frozen_string_literal: true

require "rbconfig"

# The server with a handler that counts the bytes of a body as they come, without Rack: ../upload_server.rb.
class SpateHandler < Contender
  PROGRAM = File.expand_path("../upload_server.rb", __dir__)

  def name = "spate-server, a handler"

  def command(_workload, port) = [{}, [RbConfig.ruby, PROGRAM, port.to_s]]
end
