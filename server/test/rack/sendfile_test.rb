# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # Files that the application names in x-sendfile or x-accel-redirect.
    class RackSendfileTest < Minitest::Test
      include RackServer

      NAME = "a b%\u00e4.bin"

      def setup
        super
        @root = File.join(folder, "root")
        Dir.mkdir(@root)
        File.binwrite(File.join(@root, NAME), @content = Random.new(1).bytes(200_000))
        File.write(File.join(folder, "secret"), "secret")
        File.symlink("../secret", File.join(@root, "link"))
        File.symlink(@root, File.join(folder, "current"))
      end

      # The application answers with these fields, and a body that counts how often it is closed.
      def serve_fields(status: 200, **fields)
        @closed = Thread::Queue.new
        body = ["not sent"].each
        closed = @closed
        body.define_singleton_method(:close) { closed << true }
        serve(sendfile: [@root, "/files=#{@root}"]) do |env|
          env["rack.after_reply"] << -> { @after = true }
          own = { "content-type" => "x/y", "content-length" => "8", "x" => "1" }
          [status, own.merge(fields.transform_keys(&:to_s)), body]
        end
      end

      def restart(...)
        stop if @reactor
        @after = nil
        serve_fields(...)
      end

      def get(*arguments) = curl("-i", "--http1.1", *arguments, address)

      def test_named_files_are_sent
        encoded = Files::Name.encode(NAME)
        { "x-sendfile": File.join(@root, NAME), "x-accel-redirect": "/files/#{encoded}?x" }.each do |field, value|
          [value, value.sub(@root, File.join(folder, "current"))].uniq.each do |path|
            restart(field => path)
            each_version do |_, option|
              head, content = curl("-i", option, address).b.split("\r\n\r\n", 2)
              assert_equal @content, content
              fields = head.lines(chomp: true).grep(/^(content|x)/).sort
              assert_equal ["content-length: 200000", "content-type: x/y", "x: 1"], fields
              assert_match(/^etag: /, head)
              assert take(@closed)
              eventually { @after }
            end
          end
        end
        assert_empty @closed
      end

      def test_conditions_ranges_and_head
        serve_fields("x-sendfile": File.join(@root, NAME))
        assert_equal @content[5, 3], curl("-r", "5-7", address).b
        assert_match(%r{\A.* 206 .*^content-range: bytes 5-7/200000\r$}m, get("-r", "5-7").b)
        etag = get.b[/^etag: (.*)\r/, 1]
        assert_match(%r{\AHTTP/1.1 304 .*\r\n\r\n\z}m, get("-H", "if-none-match: #{etag}"))
        assert_match(/ 416 .*text.plain/m, get("-r", "300000-"))
        assert_match(%r{type: multipart/byteranges}, get("-r", "1-2,150000-150002").b)
        assert_match(/\A.* 200 .*^content-length: 200000\r$.*\r\n\r\n\z/m, get("-I"))
      end

      def test_other_methods_and_statuses_send_the_whole_file
        serve_fields("x-sendfile": File.join(@root, NAME))
        assert_equal @content, curl("-d", "a", "-r", "5-7", address).b
        restart(status: 404, "x-sendfile": File.join(@root, NAME))
        assert_match(/\A.* 404 .*^content-length: 200000\r$/m, get("-r", "5-7").b)
      end

      def test_files_outside_of_the_folders_are_refused
        paths = %w[secret root/link root/../secret root].map { |name| { "x-sendfile": File.join(folder, name) } }
        uris = ["/files/../secret", "/files/%2e%2e/secret", "/other/a", "/files", "files/a"].map do |uri|
          { "x-accel-redirect": uri }
        end
        [*paths, *uris].each do |fields|
          restart(**fields)
          answer = get
          assert_match(/\A.* 500 /, answer, fields.to_s)
          refute_match(/secret|sendfile/, answer)
          assert_match(/is outside the (?:folders|URIs) of/, logged)
          assert take(@closed)
        end
      end

      # Only GET and HEAD are answered like files of a folder.
      def test_symlinks_out_of_the_folders_are_refused_for_all_methods
        serve_fields("x-accel-redirect": "/files/link")
        each_version do |_, option|
          %w[GET POST].each do |verb|
            answer = curl("-i", option, "-X", verb, address)
            assert_match(/\A.* (403|404|500) /, answer)
            refute_match(/^secret/, answer)
          end
        end
      end

      def test_missing_file_and_folder
        ["none", "link/x"].each do |name|
          restart("x-sendfile": File.join(@root, name), "cache-control": "max-age=9")
          answer = get
          assert_match(/\A.* 404 .*text.plain/m, answer, name)
          refute_match(/max-age/, answer)
        end
        restart("x-accel-redirect": "/files/link")
        assert_match(/\A.* (403|404) /, get)
        assert_raises(Error) { Rack.handler(->(_) {}, sendfile: [File.join(folder, "none")]) }
        assert_raises(Error) { Rack.handler(->(_) {}, sendfile: ["files=#{@root}"]) }
      end

      def test_option_needs_a_folder
        values = {}
        parser = OptionParser.new { |options| CommandLine::ContentOptions.rack(options, values) }
        assert_raises(OptionParser::MissingArgument) { parser.parse(%w[--sendfile]) }
        parser.parse(%w[--sendfile a --sendfile /b=c])
        assert_equal %w[a /b=c], values[:sendfile]
      end

      # Rack::Sendfile reads these fields of the request.
      def test_a_client_cannot_choose_the_file
        application = ->(env) { [200, {}, [env.values_at("HTTP_X_SENDFILE_TYPE", "HTTP_X_ACCEL_MAPPING").inspect]] }
        fields = ["-H", "x-sendfile-type: X-Accel-Redirect", "-H", "x_accel_mapping: /a=/files/secret"]
        { [@root] => "[nil, nil]", [] => '["X-Accel-Redirect", "/a=/files/secret"]' }.each do |folders, expected|
          serve(application, sendfile: folders)
          each_version { |_, option| assert_equal expected, curl(option, *fields, address) }
          stop
        end
        @reactor = nil
      end

      # Without the option the fields are for a proxy.
      def test_fields_are_passed_on_without_folders
        serve { |_| [200, { "x-sendfile" => "/etc/hostname" }, ["own"]] }
        assert_match(%r{^x-sendfile: /etc/hostname\r$.*own\z}m, get)
      end
    end
  end
end
