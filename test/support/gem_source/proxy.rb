# frozen_string_literal: true

require "socket"
require "uri"

module GemSource
  # A forward proxy on the loopback interface: absolute requests and CONNECT. Hosts below .test can be reached only
  # through it, because no resolver knows their names:
  #
  #   proxy = GemSource::Proxy.new(hosts: { "gems.test" => source.port }, userinfo: "me:secret").start
  #   ENV["http_proxy"] = proxy.url     # http://gems.test/ is the source
  class Proxy
    attr_reader :port, :requests

    # hosts: { host => port on 127.0.0.1 }. Other hosts are reached by their own name, on the loopback interface only.
    def initialize(hosts: {}, userinfo: nil)
      @hosts = hosts
      @userinfo = userinfo
      @requests = []
    end

    def start
      @listener = TCPServer.new("127.0.0.1", 0)
      @port = @listener.addr[1]
      @threads = []
      @acceptor = Thread.new { accept }
      @acceptor.report_on_exception = false
      self
    end

    def stop
      @listener.close
      [@acceptor, *@threads].each { |thread| thread.kill.join }
    end

    def url(userinfo: @userinfo) = "http://#{"#{userinfo}@" if userinfo}127.0.0.1:#{port}"

    private

    def accept
      loop do
        client = @listener.accept
        @threads << Thread.new { converse(client) }.tap { |thread| thread.report_on_exception = false }
      end
    rescue IOError, SystemCallError
      nil # stopped
    end

    def converse(client)
      while (head = client.gets("\r\n\r\n"))
        verb, target, = head.split(" ", 3)
        @requests << "#{verb} #{target}"
        next refuse(client) unless allowed?(head)

        verb == "CONNECT" ? tunnel(client, target) : forward(client, target, head)
        break
      end
    ensure
      client.close
    end

    def allowed?(head)
      return true unless @userinfo

      head[/^proxy-authorization: basic (\S+)/i, 1].to_s.unpack1("m") == @userinfo
    end

    def refuse(client)
      client.write("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"proxy\"\r\n" \
                   "Content-Length: 0\r\n\r\n")
    end

    def connect(host, port)
      return TCPSocket.new("127.0.0.1", @hosts[host]) if @hosts.key?(host)
      raise SocketError, "#{host} is not on the loopback" unless %w[localhost 127.0.0.1].include?(host)

      TCPSocket.new("127.0.0.1", port)
    end

    def tunnel(client, target)
      host, _, port = target.rpartition(":")
      upstream = connect(host, port.to_i)
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      relay(client, upstream)
    end

    # One request per connection: the connection ends with the response.
    def forward(client, target, head)
      uri = URI(target)
      upstream = connect(uri.host, uri.port)
      head = head.sub(target, uri.request_uri).sub(/^proxy-authorization:.*\r\n/i, "").sub(/^connection:.*\r\n/i, "")
      upstream.write(closing(head))
      client.write(closing(upstream.gets("\r\n\r\n").to_s))
      relay(client, upstream)
    end

    def closing(head) = head.sub(/\r\n\r\n\z/, "\r\nConnection: close\r\n\r\n")

    def relay(client, upstream)
      back = Thread.new do
        IO.copy_stream(upstream, client)
        client.close_write
      end
      back.report_on_exception = false
      pump = Thread.new { IO.copy_stream(client, upstream) }
      pump.report_on_exception = false
      back.join
      pump.kill
    rescue SystemCallError, IOError
      nil
    ensure
      upstream.close
    end
  end
end
