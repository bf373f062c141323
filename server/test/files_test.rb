# frozen_string_literal: true

require "test_helper"
require "minitest/mock"

module Spate
  module Server
    # Files by a handler's contract: requests in, responses out.
    class FilesTest < Minitest::Test
      def setup
        write("www/page.html", "0123456789")
        write("www/sub/index.html", "index")
        write("www/ä b.txt", "umlaut")
        write("secret.txt", "secret")
        @files = Files.new(File.join(folder, "www"))
      end

      def get(target, verb: "GET", **headers)
        fields = headers.transform_keys { |name| name.to_s.tr("_", "-") }
        @files.call(Request.new(verb: verb, target: target, headers: fields, version: "HTTP/2"))
      end

      def content(response)
        outbox = Native::Outbox.new([])
        response.body.raw(outbox, 1000) until response.body.nil? || response.body.done?
        response.close
        outbox.to_s
      end

      def test_a_file
        response = get("/page.html?query")
        assert_equal [200, "0123456789"], [response.status, content(response)]
        assert_equal ["text/html; charset=utf-8", "10", "bytes"],
                     response.headers.values_at("content-type", "content-length", "accept-ranges")
        assert_equal "umlaut".b, content(get("/%C3%A4%20b.txt"))
        assert_equal "index", content(get("/sub/"))
        head = get("/page.html", verb: "HEAD")
        assert_equal [200, "10", nil], [head.status, head.headers["content-length"], head.body]
      end

      # A file that settled is remembered, and forgotten with any change of it or of the way to it.
      def test_files_that_are_served_again
        path = File.join(folder, "www/page.html")
        File.symlink("page.html", link = File.join(folder, "www/link"))
        later = Time.now + 10
        Time.stub(:now, later) { 2.times { assert_equal "0123456789", content(get("/link")) } }
        assert_kind_of Body::Bytes, get("/link").body
        assert_equal "34", content(get("/link", range: "bytes=3-4"))
        mtime = File.mtime(path)
        File.write(path, "ABCDEFGHIJ")
        File.utime(mtime, mtime, path)
        assert_equal "ABCDEFGHIJ", content(get("/link"))
        Time.stub(:now, later) { 2.times { content(get("/link")) } }
        assert_kind_of Body::Bytes, get("/link").body
        File.delete(link)
        assert_equal 404, get("/link").status
        File.symlink("../secret.txt", link)
        assert_equal 404, get("/link").status
      end

      def test_memory_has_an_end
        memory = Files::Memory.new
        Dir.mkdir(File.join(folder, "many"))
        700.times do |n|
          path = File.join(folder, "many/#{n}")
          File.write(path, "x" * 60_000)
          File.open(path) do |file|
            Time.stub(:now, Time.now + 10) { memory.keep(path, Files::Entry.new(file.stat, "text/plain"), file) }
          end
        end
        known = Array.new(700) { |n| memory.find(path = File.join(folder, "many/#{n}"), File.stat(path)) }
        assert_equal Files::Memory::ALL / 61_024, known.compact.size
        assert known.last
      end

      def test_what_is_refused
        assert_equal [405, "GET, HEAD"],
                     [(response = get("/page.html", verb: "POST")).status, response.headers["allow"]]
        %w[/none /page.html/ /sub/none/x /%00 /%zz /../secret.txt /%2e%2e/secret.txt /sub/../../secret.txt
           /..%2fsecret.txt /].each { |target| assert_equal 404, get(target).status, target }
        assert_equal 404, get("/#{"x" * 5000}").status
        File.mkfifo(File.join(folder, "www/pipe"))
        assert_equal 404, get("/pipe").status
        assert_raises(Error) { Files.new(File.join(folder, "secret.txt")) }
      end

      def test_links_that_leave
        File.symlink("../secret.txt", File.join(folder, "www/out"))
        File.symlink("page.html", File.join(folder, "www/in"))
        File.symlink("..", File.join(folder, "www/up"))
        File.symlink("round", File.join(folder, "www/round"))
        assert_equal [404, 404, 404, 200], %w[/out /up/secret.txt /round /in].map { |target| get(target).status }
      end

      def test_folders_have_a_slash
        response = get("/sub?a=b")
        assert_equal [301, "/sub/?a=b"], [response.status, response.headers["location"]]
        assert_equal "/sub/", get("//sub").headers["location"]
      end

      def test_ranges
        { "bytes=2-4" => "234", "bytes=7-" => "789", "bytes=-3" => "789", "bytes=0-99" => "0123456789",
          "bytes=-99" => "0123456789", "bytes=9-9" => "9" }.each do |range, expected|
          response = get("/page.html", range: range)
          assert_equal [206, expected], [response.status, content(response)], range
          first = "0123456789".index(expected)
          assert_equal "bytes #{first}-#{first + expected.size - 1}/10", response.headers["content-range"]
        end
        %w[bytes=10- bytes=-0 bytes=99-100].each do |range|
          assert_equal [416, "bytes */10"], [(response = get("/page.html", range: range)).status,
                                             response.headers["content-range"]]
        end
        ["bytes=4-2", "lines=1-2", "bytes=-", "bytes=0-1,4-5", "bytes=x"].each do |range|
          assert_equal 200, get("/page.html", range: range).status, range
        end
      end

      def test_conditions
        tag, date = get("/page.html").headers.values_at("etag", "last-modified")
        assert_equal 304, get("/page.html", if_none_match: tag).status
        assert_equal 304, get("/page.html", if_none_match: %("x", W/#{tag})).status
        assert_equal 304, get("/page.html", if_none_match: "*").status
        assert_equal 200, get("/page.html", if_none_match: '"x"', if_modified_since: date).status
        assert_equal 304, get("/page.html", if_modified_since: date).status
        assert_equal [412, 200], [get("/page.html", if_match: '"x"').status, get("/page.html", if_match: tag).status]
        assert_equal 206, get("/page.html", range: "bytes=1-", if_range: tag).status
        assert_equal 200, get("/page.html", range: "bytes=1-", if_range: '"x"').status
        File.write(File.join(folder, "www/page.html"), "9876543210")
        refute_equal tag, get("/page.html").headers["etag"]
      end
    end
  end
end
