# frozen_string_literal: true

require "digest"
require "socket"

module Benchmark
  # Serves a folder with a compact index from a child process. Supports ETags, ranges and digests.
  class IndexServer
    attr_reader :url

    # latency: milliseconds before each response.
    def initialize(folder, latency: 0)
      @folder = folder
      @latency = latency / 1000.0
      @pages = {}
    end

    def start
      server = TCPServer.new("127.0.0.1", 0)
      @url = "http://localhost:#{server.addr[1]}"
      @pid = fork { serve(server) }
      server.close
      self
    end

    def stop
      Process.kill(:KILL, @pid)
      Process.wait(@pid)
    end

    private

    def serve(server)
      loop { Thread.new(server.accept) { |socket| converse(socket) } }
    end

    def converse(socket)
      while (line = socket.gets)
        headers = {}
        while (field = socket.gets) && field != "\r\n"
          name, value = field.chomp.split(": ", 2)
          headers[name.downcase] = value
        end
        sleep @latency if @latency.positive?
        socket.write(answer(line.split[1], headers))
      end
    rescue SystemCallError, IOError
      nil # the client closed the connection
    ensure
      socket.close
    end

    def answer(path, headers)
      text, etag, digest = page(path)
      return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" unless text
      return "HTTP/1.1 304 Not Modified\r\nETag: #{etag}\r\n\r\n" if headers["if-none-match"] == etag

      from = headers["range"]&.slice(/\d+/)&.to_i
      to = headers["range"]&.slice(/-(\d+)/, 1)&.to_i || -1
      body = from ? text.byteslice(from..to).to_s : text
      status = from ? "206 Partial Content" : "200 OK"
      range = "Content-Range: bytes #{from}-#{from + body.bytesize - 1}/#{text.bytesize}\r\n" if from
      "HTTP/1.1 #{status}\r\nETag: #{etag}\r\nRepr-Digest: sha-256=:#{digest}:\r\n#{range}" \
        "Content-Length: #{body.bytesize}\r\n\r\n".b << body
    end

    # [text, ETag, digest], or nil if the page does not exist.
    def page(path)
      @pages[path] ||= begin
        text = File.binread(file(path))
        [text, "\"#{Digest::MD5.hexdigest(text)}\"", Digest::SHA256.base64digest(text)]
      end
    rescue SystemCallError
      nil
    end

    # Bundler's cache adds a digest to the file name of a page whose name has special characters.
    def file(path)
      plain = File.join(@folder, path)
      name = File.basename(path)
      special = "#{@folder}/info-special-characters/#{name}-#{Digest::MD5.hexdigest(name)}"
      File.file?(special) ? special : plain
    end
  end
end
