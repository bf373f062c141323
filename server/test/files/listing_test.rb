# frozen_string_literal: true

require "test_helper"
require "support/files_handler"
require "json"
require "zlib"

module Spate
  module Server
    # Files::Listing lists a folder as HTML or JSON, with names of any bytes.
    class FilesListingTest < Minitest::Test
      include FilesHandler

      STRANGE = ["<b>&\"'.txt", "a b.txt", "javascript:alert(1)", "100%.txt", "ä.txt", "\xff.bin", "x?y#z"].freeze
      TIME = Time.utc(2026, 1, 2, 3, 4, 5)

      def setup
        STRANGE.each { |name| File.binwrite(File.join(FileUtils.mkdir_p(www).first.b, name.b), "12345") }
        put("sub/deep.txt", "x" * 2000)
        put(".hidden", "")
        write("secret.txt", "secret")
        { "out" => "../secret.txt", "in" => "a b.txt", "folder" => "sub", "gone" => "nothing" }
          .each { |name, target| File.symlink(target, File.join(www, name)) }
        File.mkfifo(File.join(www, "pipe"))
        paths = Dir.children(www).map { |name| File.join(www, name) }
        paths.each { |path| File.utime(TIME, TIME, path) if File.file?(path) }
      end

      def json(path = "/?format=json", **headers)
        response = get(path, **headers)
        assert_equal [200, "application/json"], [response.status, response.headers["content-type"]]
        JSON.parse(content(response))
      end

      def test_json
        told = json
        assert_equal ["/", false], told.values_at("path", "truncated")
        names = told["entries"].map { |entry| entry["name"] }
        assert_equal %w[folder sub], names.first(2)
        assert_equal [*STRANGE.map { |name| name.scrub("\u{fffd}") }, "in"].sort_by(&:b), names.drop(2).sort_by(&:b)
        entry = told["entries"].find { |one| one["name"] == "a b.txt" }
        assert_equal({ "name" => "a b.txt", "href" => "./a%20b.txt", "type" => "file", "size" => 5,
                       "modified" => "2026-01-02T03:04:05Z" }, entry)
        assert_equal ["directory", nil], told["entries"].first.values_at("type", "size")
      end

      # Every href leads to its file, also with invalid bytes.
      def test_addresses
        json["entries"].each do |entry|
          path = entry["href"].delete_prefix(".")
          if entry["type"] == "file"
            assert_equal "12345", content(get(path)), path
          else
            assert_equal ["deep.txt"], json("#{path}?format=json")["entries"].map { |one| one["name"] }
          end
        end
      end

      # Invalid UTF-8 breaks neither this request nor later ones on the same thread.
      def test_names_with_invalid_bytes
        3.times { assert_equal 200, status("/?\xff") }
        assert_equal 200, status("/", accept: "\xff", accept_encoding: "gzip, \xff")
        assert_equal "application/json", get("/?\xff&format=json").headers["content-type"]
        assert_equal 200, status("/a%20b.txt", range: "bytes=\xff", if_modified_since: "\xff", if_none_match: "\xff")
        assert_equal 301, status("/sub?\xff")
      end

      # Concurrent requests for one listing share the work, and clients that disconnected cause none.
      def test_many_at_once
        jobs = []
        threads = Struct.new(:jobs) do
          def busy? = false
          def post(&job) = jobs << job
        end.new(jobs)
        root = Native::Folder.new(www)
        listing = Files::Listing.new(root, threads, dotfiles: false)
        exchanges = Array.new(40) { |n| n == 20 ? Gone.new : FilesHandler::Exchange.new }
        exchanges.each_with_index do |exchange, n|
          verb = n.even? ? "GET" : "HEAD"
          fields = n < 30 ? [] : %w[accept-encoding gzip]
          request = Request.received(verb: verb, target: "/?#{n}", scheme: "http", authority: "x", fields: fields,
                                     first: 0, version: "HTTP/2", body: nil, connection: Connection::Null::ONE,
                                     exchange: exchange)
          assert_nil listing.call(request, "", root.open(""))
        end
        assert_equal 2, jobs.size
        jobs.each(&:call)
        answers = (exchanges - [exchanges[20]]).map(&:answer)
        assert_equal [200], answers.map(&:status).uniq
        assert_equal [29, 10], answers.map { |answer| answer.headers["content-encoding"] }.tally.values
        assert_includes content(answers[0]), "a%20b.txt"
        assert_nil answers[1].body
      end

      class Gone
        def abandoned?(_) = true
        def respond(*) = raise("the client has disconnected")
      end

      # A failed job does not end its thread.
      def test_failed_job_does_not_end_its_thread
        threads = Files::ThreadPool.new(1)
        done = Thread::Queue.new
        _, told = capture_io do
          threads.post { raise NoMemoryError, "failed" }.post { done << true }
          assert Timeout.timeout(SECONDS) { done.pop }
        end
        assert_includes told, "NoMemoryError: failed"
      ensure
        threads.close
      end

      def test_page
        response = get("/")
        page = content(response).force_encoding("UTF-8")
        assert_equal "text/html; charset=utf-8", response.headers["content-type"]
        assert_match(/default-src 'none'/, response.headers["content-security-policy"])
        assert_includes page, '<a href="./%3Cb%3E&amp;%22&#39;.txt">&lt;b&gt;&amp;&quot;&#39;.txt</a>'
        assert_includes page, '<a href="./javascript%3Aalert(1)">'
        assert_includes page, "color-scheme: light dark"
        refute_match(%r{<script|https?://|src=|<b>|hidden|secret|pipe|gone|href="\.\./"}, page)
        assert_includes content(get("/sub/")), '<a href="../">'
        assert_match(%r{deep.txt</a></td><td class="n">2\.0 KB}, content(get("/sub/")))
      end

      def test_html_or_json
        { "application/json" => "application/json", "text/html, application/json;q=0.9" => "text/html; charset=utf-8",
          "*/*" => "text/html; charset=utf-8", "application/*, text/*;q=0.1" => "application/json",
          "" => "text/html; charset=utf-8" }.each do |accept, type|
          assert_equal type, get("/", accept: accept).tap(&:close).headers["content-type"], accept
        end
        asked = get("/?format=html", accept: "application/json")
        assert_equal "text/html; charset=utf-8", asked.headers["content-type"]
        assert_equal "accept, accept-encoding", get("/").headers["vary"]
      end

      def test_head_and_gzip
        head = get("/", verb: "HEAD")
        assert_equal [200, nil], [head.status, head.body]
        assert_equal head.headers["content-length"], content(get("/")).bytesize.to_s
        coded = get("/", accept_encoding: "gzip")
        assert_equal "gzip", coded.headers["content-encoding"]
        assert_equal content(get("/")), ::Zlib.gunzip(content(coded))
      end

      def test_dotfiles_and_none
        files(dotfiles: true)
        assert_includes json["entries"].map { |entry| entry["name"] }, ".hidden"
        @files = Files.new(www, listing: false)
        assert_equal [404, 404, 301], %w[/ /sub/ /sub].map { |path| status(path) }
      end

      def test_a_large_folder
        21.times { |n| put("many/#{n}", "") }
        files.instance_variable_set(:@listing, Files::Listing.new(Native::Folder.new(www), Files::ThreadPool.new(1),
                                                                  dotfiles: false, most: 20))
        told = json("/many/?format=json")
        assert_equal [20, true], [told["entries"].size, told["truncated"]]
        assert_includes content(get("/many/")), "Only 20 entries are shown"
      end
    end
  end
end
