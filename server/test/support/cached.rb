# frozen_string_literal: true

require "digest"
require "support/watched"

module Spate
  module Server
    # Runs spate-serve --cache as a process, with methods to access the cache.
    module Cached
      include Watched

      TOKEN = { "authorization" => "Bearer writer" }.freeze

      def store = File.join(folder, "store")

      # Starts the server. Every client may write unless the options contain a token.
      def cache(*options, **settings)
        options = ["--cache-open", *options] if options.grep(/-token\b/).empty?
        watch("--cache=#{store}", *options, **settings)
      end

      # Path of a blob with this content.
      def blob(content) = "/cas/#{Digest::SHA256.hexdigest(content)}"
      def document(name) = "/ac/#{Digest::SHA256.hexdigest(name)}"

      def put(path, content, headers = {}) = ask(Net::HTTP::Put, path, headers) { |request| request.body = content }
      def fetch(path, headers = {}) = ask(Net::HTTP::Get, path, headers)
      def head(path, headers = {}) = ask(Net::HTTP::Head, path, headers)
      def delete(path, headers = {}) = ask(Net::HTTP::Delete, path, headers)
      def ask_otherwise(kind, path) = ask(Net::HTTP.const_get(kind), path, {})

      def code(response) = response.code.to_i

      # Sends a PUT that waits for status 100. Returns whether the body had to be sent, and the final status.
      def put_if_wanted(path, content)
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write("PUT #{path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: #{content.bytesize}\r\n" \
                     "expect: 100-continue\r\n\r\n")
        first = Timeout.timeout(SECONDS) { socket.gets("\r\n\r\n") }
        sent = first.start_with?("HTTP/1.1 100")
        socket.write(content) if sent
        answer = sent ? Timeout.timeout(SECONDS) { socket.gets("\r\n\r\n") } : first
        [sent, answer[/\d{3}/].to_i]
      ensure
        socket&.close
      end

      # Returns the paths of all files of the store.
      def stored = Dir.glob("*/*", base: store)

      private

      def ask(kind, path, headers)
        request = kind.new(path, { "accept-encoding" => "identity", **headers })
        request["content-type"] = "application/octet-stream" if kind == Net::HTTP::Put
        yield request if block_given?
        Net::HTTP.start("127.0.0.1", @port, open_timeout: 5, read_timeout: 20) { |http| http.request(request) }
      end
    end
  end
end
