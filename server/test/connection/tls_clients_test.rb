# frozen_string_literal: true

require "test_helper"
require "digest"
require "support/python"
require "support/tls_running"

module Spate
  module Server
    # curl, nghttp, h2load, Node, Python's h2 and Ruby's openssl connect over TLS: ALPN, versions, cipher suites, and
    # transfers.
    class TLSClientsTest < Minitest::Test
      include TLSRunning

      def setup
        write("hello.txt", "hello\n")
        serve_tls
      end

      # Returns the path of a file that repeats one random megabyte, each time after a different number.
      def big_file(megabytes)
        block = Random.new(6).bytes(1 << 20)
        path = File.join(folder, "big.bin")
        File.open(path, "wb") { |file| megabytes.times { |n| file.write([n].pack("N"), block) } }
        path
      end

      def test_curl_over_both_and_without_a_choice
        lines = { "--http2" => "HTTP/2 200", "--http1.1" => "HTTP/1.1 200 OK", "--no-alpn" => "HTTP/1.1 200 OK" }
        lines.each do |option, line|
          answer = curl("-i", option, secure("/hello.txt"))
          assert_match(/\A#{line}/, answer, option)
          assert_match(/\r\n\r\nhello\n\z/, answer, option)
        end
        assert_equal "hello\n", curl("--http2", "https://127.0.0.1:#{@port}/hello.txt"), "it is for the address too"
      end

      # RFC 9113, section 9.2: at least TLS 1.2, and no prohibited cipher suite.
      def test_versions_and_suites
        %w[1.2 1.3].each do |version|
          assert_equal "hello\n", curl("--tlsv#{version}", "--tls-max", version, secure("/hello.txt"))
        end
        %w[ECDHE-ECDSA-AES128-SHA256 ECDHE-ECDSA-AES256-SHA AES128-GCM-SHA256].each do |suite|
          error = assert_raises(OpenSSL::SSL::SSLError, suite) do
            connect do |context|
              context.max_version = OpenSSL::SSL::TLS1_2_VERSION
              context.ciphers = "#{suite}:@SECLEVEL=0"
            end
          end
          assert_match(/handshake failure|no ciphers/, error.message)
        end
        error = assert_raises(OpenSSL::SSL::SSLError) do
          connect do |context|
            context.min_version = context.max_version = OpenSSL::SSL::TLS1_1_VERSION
            context.ciphers = "ALL:@SECLEVEL=0"
          end
        end
        assert_match(/protocol version|unsupported protocol/, error.message)
      end

      # RFC 7301, section 3.2.
      def test_unsupported_protocol
        error = assert_raises(OpenSSL::SSL::SSLError) { connect(alpn: ["spdy/3"]) }
        assert_match(/no application protocol/, error.message)
        assert_equal %w[h2 http/1.1], [%w[http/1.1 h2], %w[http/1.1]].map { |offer| connect(alpn: offer).alpn_protocol }
      end

      # A connection that negotiated h2 and then speaks another protocol gets GOAWAY.
      def test_h2_without_its_preface
        socket = connect(alpn: ["h2"])
        assert_equal [7], frames(get(socket)).map { |frame| frame[:type] }
      end

      def frames(bytes)
        frames = []
        until bytes.empty?
          length, type, = Wire.read_frame_header(bytes, 0, [])
          frames << { type: type, payload: bytes.byteslice(9, length) }
          bytes = bytes.byteslice((9 + length)..)
        end
        frames
      end

      def test_a_download_and_an_upload
        path = big_file(64)
        digest = Digest::SHA256.file(path).hexdigest
        %w[--http2 --http1.1].each do |option|
          copy = File.join(folder, "copy")
          curl(option, "-o", copy, secure("/big.bin"))
          assert FileUtils.identical?(path, copy), option
          told = curl(option, "-H", "expect:", "--data-binary", "@#{path}", secure)
          assert_equal "#{File.size(path)} #{digest}", told
        end
      end

      # 100 concurrent requests on one connection, and windows of 16 KB.
      def test_nghttp
        File.binwrite(File.join(folder, "mid.bin"), content = Random.new(7).bytes(300_001))
        assert_equal content, client("nghttp", "-w", "14", "-W", "14", secure("/mid.bin")).sub(/\A\[WARNING\].*\n/, "")
        told = client("nghttp", "-nv", "-m", "100", secure("/mid.bin"))
        assert_equal 100, told.scan(/recv \(stream_id=\d+\) :status: 200/).size
      end

      def test_h2load
        told = client("h2load", "-n", "2000", "-c", "20", "-m", "10", secure("/hello.txt"))
        assert_match(/2000 succeeded, 0 failed, 0 errored/, told)
        assert_match(/Application protocol: h2/, told)
        told = client("h2load", "-n", "300", "-c", "5", "--npn-list", "http/1.1", secure("/hello.txt"))
        assert_match(/300 succeeded, 0 failed, 0 errored/, told)
      end

      NODE = <<~JAVASCRIPT
        const http2 = require("node:http2"), fs = require("node:fs"), crypto = require("node:crypto");
        const session = http2.connect(process.argv[1], { ca: fs.readFileSync(process.argv[2]) });
        let left = 10;
        for (let i = 0; i < 10; i++) {
          const stream = session.request({ ":method": "POST", ":path": "/" });
          const body = crypto.randomBytes(300000 + i);
          let answer = "";
          stream.on("data", (part) => answer += part);
          stream.on("end", () => {
            const expected = body.length + " " + crypto.createHash("sha256").update(body).digest("hex");
            console.log(answer === expected);
            if (--left === 0) session.close();
          });
          stream.end(body);
        }
      JAVASCRIPT

      def test_node
        assert_equal ["true"] * 10, client("node", "-e", NODE, secure, authority).lines(chomp: true)
      end

      PYTHON = <<~PYTHON
        import socket, ssl, sys
        import h2.connection, h2.config, h2.events
        context = ssl.create_default_context(cafile=sys.argv[2])
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
        client = context.wrap_socket(plain, server_hostname="localhost")
        assert client.selected_alpn_protocol() == "h2"
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        connection.initiate_connection()
        connection.send_headers(1, [(":method", "GET"), (":scheme", "https"), (":path", "/hello.txt"),
                                    (":authority", "localhost")], end_stream=True)
        client.sendall(connection.data_to_send())
        body, ended = b"", False
        while not ended:
            for event in connection.receive_data(client.recv(65536)):
                if isinstance(event, h2.events.DataReceived): body += event.data
                if isinstance(event, h2.events.StreamEnded): ended = True
        print(body.decode(), end="")
      PYTHON

      def test_python_h2
        reason = Python.missing("h2")
        skip reason if reason
        assert_equal "hello\n", client_at(Python::PATH, "-c", PYTHON, @port, authority)
      end
    end
  end
end
