# frozen_string_literal: true

require "socket"

module GemSource
  # A static web server for a folder, with one request per connection. This is enough for git's dumb protocol.
  class Site
    attr_reader :port

    # userinfo: "user:password" that every request must contain, or nil.
    def initialize(folder, userinfo: nil)
      @folder = folder
      @userinfo = userinfo
    end

    def start
      @listener = TCPServer.new("127.0.0.1", 0)
      @port = @listener.addr[1]
      @thread = Thread.new { accept }
      self
    end

    def stop
      @listener.close
      @thread.kill.join
    end

    private

    def accept
      loop { serve(@listener.accept) }
    rescue IOError, SystemCallError
      nil # stopped
    end

    def serve(client)
      head = client.gets("\r\n\r\n").to_s
      client.write(answer(head))
    rescue SystemCallError
      nil # the client closed the connection
    ensure
      client.close
    end

    def answer(head)
      return response("401 Unauthorized", "", "WWW-Authenticate: Basic realm=\"git\"\r\n") unless allowed?(head)

      path = File.join(@folder, File.expand_path(head.split[1].split("?").first, "/"))
      File.file?(path) ? response("200 OK", File.binread(path)) : response("404 Not Found", "")
    end

    def allowed?(head)
      @userinfo.nil? || head[/^authorization: basic (\S+)/i, 1].to_s.unpack1("m") == @userinfo
    end

    def response(status, body, headers = "")
      "HTTP/1.1 #{status}\r\n#{headers}Connection: close\r\nContent-Length: #{body.bytesize}\r\n\r\n".b + body
    end
  end
end
