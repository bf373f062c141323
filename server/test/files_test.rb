# frozen_string_literal: true

require "test_helper"
require "support/files_handler"

module Spate
  module Server
    # Files maps request paths to files below its folder, never to others.
    class FilesTest < Minitest::Test
      include FilesHandler

      def setup
        put("page.html", "0123456789")
        put("sub/index.html", "index")
        put("ä b.txt", "umlaut")
        put("list/one.txt", "1")
        put(".env", "secret")
        put(".well-known/security.txt", "contact")
        put("list/.hidden/x.txt", "hidden")
        write("secret.txt", "secret")
      end

      def test_a_file
        response = get("/page.html?query")
        assert_equal ["text/html; charset=utf-8", "10", "bytes"],
                     response.headers.values_at("content-type", "content-length", "accept-ranges")
        assert_equal [200, "0123456789"], [response.status, content(response)]
        assert_equal "umlaut", content(get("/%C3%A4%20b.txt"))
        assert_equal "index", content(get("/sub/"))
        head = get("/page.html", verb: "HEAD")
        assert_equal [200, "10", nil], [head.status, head.headers["content-length"], head.body]
      end

      # Names are bytes: invalid UTF-8, and characters with a special meaning in URLs or on other systems.
      def test_strange_names
        ["\xff\xfe.txt", "a\\b.txt", "a%b.txt", "q?x#y.txt", "a;b=c&d.txt", "line\nbreak.txt", "%2e%2e"].each do |name|
          File.binwrite(File.join(www.b, name.b), name)
          assert_equal name.b, content(get("/#{Files::Name.encode(name)}")), name.inspect
        end
      end

      PATHS = {
        404 => %w[/none /page.html/ /sub/none/x /../secret.txt /%2e%2e/secret.txt /sub/../../secret.txt /..%2fsecret.txt
                  /sub%2findex.html /sub/./index.html /sub/../page.html /.env /%2eenv /list/.hidden/x.txt
                  /.well-known/.x /a%5cb],
        400 => ["/%", "/%zz", "/%4", "/page.html%00", "/%00", "/a\\b", "/..\\secret.txt", "/\0", "page.html", "", "*"],
        200 => %w[//page.html /.well-known/security.txt /p%61ge.html /sub// /list/],
        301 => %w[/sub /list //sub]
      }.freeze

      def test_paths
        PATHS.each { |status, paths| paths.each { |path| assert_equal status, status(path), path } }
        assert_equal 404, status("/#{"x" * 5000}")
        assert_equal 404, status("/#{"x/" * 3000}")
      end

      def test_options
        files(dotfiles: true, listing: false, index: %w[page.html none])
        assert_equal [200, 200, 404, 404], %w[/.env / /list/ /sub/].map { |path| status(path) }
        assert_equal 404, status("/../secret.txt")
        assert_raises(Error) { Files.new(File.join(folder, "secret.txt")) }
        assert_raises(Error) { Files.new(File.join(folder, "nothing")) }
        assert_raises(Error) { Files.new(www, media_types: File.join(folder, "nothing")) }
      end

      def test_verbs
        %w[POST PUT DELETE TRACE CONNECT get].each do |verb|
          response = get("/page.html", verb: verb)
          assert_equal [405, "GET, HEAD, OPTIONS"], [response.status, response.headers["allow"]], verb
        end
        %w[/page.html * /none].each { |target| assert_equal 204, status(target, verb: "OPTIONS"), target }
      end

      # Special files are not opened: opening a pipe blocks, a terminal would become the controlling terminal, and a
      # tape would rewind.
      def test_special_files_are_not_served
        File.mkfifo(File.join(www, "pipe"))
        require "socket"
        UNIXServer.open(File.join(www, "socket")) { assert_equal 404, status("/socket") }
        assert_equal 404, status("/pipe")
        File.symlink("/dev/null", File.join(www, "null"))
        assert_equal 404, status("/null")
      end

      # Links inside of the folder are followed, others are not; the same with openat2 and without it.
      def test_links
        absolute = File.join(File.realpath(www), "page.html")
        { "out" => "../secret.txt", "in" => "page.html", "up" => "..", "round" => "round", "whole" => absolute,
          "down" => "sub", "etc" => "/etc", "out2" => "up/secret.txt", "proc" => "/proc/self/root",
          "around" => "../www/page.html", "beside" => "../www-beside/x", "list/back" => "../page.html" }
          .each { |name, target| File.symlink(target, File.join(www, name)) }
        write("www-beside/x", "beside")
        [true, false].each do |beneath|
          root = Native::Folder.new(www, beneath)
          found = ->(name) { root.find(name).then { |it| it.is_a?(Symbol) ? it : it.size } }
          assert_equal [:missing] * 8, %w[out up/secret.txt round etc/passwd out2 proc/etc/passwd beside ../secret.txt]
            .map(&found), "beneath: #{beneath}"
          assert_equal [10, 10, 5, 10], %w[in whole down/index.html list/back].map(&found), "beneath: #{beneath}"
          assert_includes [10, :missing], found.call("around")
        end
        assert_equal [404, 404, 200, 200], %w[/out /up/secret.txt /in /whole].map { |path| status(path) }
      end

      # A folder that is replaced with a link during the lookup yields the original file or nothing.
      def test_a_race_for_the_way_out
        put("way/secret.txt", "mine")
        stop = false
        way = File.join(www, "way")
        racer = Thread.new do
          until stop
            File.rename(way, "#{way}.kept")
            File.symlink("..", way)
            File.delete(way)
            File.rename("#{way}.kept", way)
          end
        end
        seen = [true, false].flat_map do |beneath|
          root = Native::Folder.new(www, beneath)
          Array.new(3000) { read(root.open("way/secret.txt")) }
        end
        assert_equal [], seen.uniq - [:missing, "mine"]
        assert_includes seen, "mine"
      ensure
        stop = true
        racer&.join
      end

      def read(found)
        return found if found.is_a?(Symbol)

        found.content(100).tap { found.close }
      end

      def test_unreadable_files
        skip "root may read everything" if Process.uid.zero? && !drop_root?
        File.chmod(0, File.join(www, "page.html"))
        assert_equal 403, as_nobody { status("/page.html") }
      end

      # Runs the block in a child process without root's permissions, and returns its result.
      def as_nobody
        File.chmod(0o755, folder, www)
        reader, writer = IO.pipe
        pid = fork do
          Process::Sys.setuid(65_534) if Process.uid.zero?
          writer.puts(yield)
          exit!(0)
        end
        writer.close
        Process.wait(pid)
        reader.read.to_i
      end

      def drop_root? = File.stat(File.dirname(folder)).world_readable?

      def test_folders_have_a_slash
        response = get("/sub?a=b")
        assert_equal [301, "/sub/?a=b"], [response.status, response.headers["location"]]
        assert_equal "/sub/", get("//sub").headers["location"]
        assert_equal "/sub/", get("///sub").headers["location"]
      end

      # Unchanged files are cached. Any change of the file or of a link to it removes the entry.
      def test_files_that_are_served_again
        long_ago = Time.now - 1000
        path = File.join(www, "page.html")
        File.utime(long_ago, long_ago, path)
        File.symlink("page.html", link = File.join(www, "link"))
        sleep 2.1 # until the last change is no longer "just now"
        2.times { assert_equal "0123456789", content(get("/link")) }
        assert_equal 1, memory.size
        assert_equal "34", content(get("/link", range: "bytes=3-4"))
        File.write(path, "ABCDEFGHIJ")
        File.utime(long_ago, long_ago, path)
        assert_equal "ABCDEFGHIJ", content(get("/link"))
        assert_equal 0, memory.size
        File.delete(link)
        assert_equal 404, status("/link")
        File.symlink("../secret.txt", link)
        assert_equal 404, status("/link")
      end

      def memory = files.instance_variable_get(:@cache)

      def test_cache_is_bounded
        root = Native::Folder.new(folder)
        memory = Files::Cache.new(root, all: 1 << 20)
        later = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) + 10_000_000_000
        40.times do |n|
          write(name = "many/#{n}", "x" * 60_000)
          known = Files::Resource.new(name, root.open(name), "text/plain", false)
          known.plain.content = known.plain.found.content(Files::Cache::SMALL)
          known.plain.found.close
          memory.keep(name, known, later)
        end
        known = Array.new(40) { |n| memory.find("many/#{n}") }
        assert_equal((1 << 20) / (60_000 + Files::Cache::ENTRY + 7), known.compact.size)
        assert known.last
      end

      def test_media_types
        own = write("types", "text/x-mine  mine\n# text/no no\nbad line\napplication/json html\n")
        types = Files::MediaTypes.new(own)
        { "a.html" => "application/json", "A.PNG" => "image/png", "x.mine" => "text/x-mine; charset=utf-8",
          "x.no" => "application/octet-stream", "Makefile" => "application/octet-stream",
          "a.b/c" => "application/octet-stream", "x.tar.gz" => "application/gzip", "\xff.svg" => "image/svg+xml",
          "x." => "application/octet-stream",
          "x.wasm" => "application/wasm" }.each { |name, type| assert_equal type, types.of(name).name, name }
        assert_equal [true, true, true, false, false],
                     %w[a.css a.json a.svg a.png a.woff2].map { |name| types.of(name).compressible }
        assert_equal "text/css; charset=utf-8", Files::MediaTypes.new(nil, system: "/nothing").of("a.css").name
      end

      def test_descriptors_are_closed
        put("big.bin", "x" * 200_000)
        get("/big.bin").close
        GC.start
        before = Dir.children("/proc/self/fd").size
        requests = [{}, { verb: "HEAD" }, { if_none_match: "*" }, { if_match: '"x"' }, { range: "bytes=0-1,9000-9001" },
                    { range: "bytes=900000-" }, { accept_encoding: "gzip, br" }]
        %w[/big.bin /page.html /list/ /none /sub /sub/].product(requests) do |path, options|
          content(get(path, **options))
        end
        assert_equal before, Dir.children("/proc/self/fd").size
      end
    end
  end
end
