# frozen_string_literal: true

require "test_helper"
require "support/files_handler"

module Spate
  module Server
    # Files evaluates conditional requests and ranges: RFC 9110, sections 13 and 14.
    class FilesRangesTest < Minitest::Test
      include FilesHandler

      TEXT = "0123456789"
      LONG = Random.new(4).bytes(300_000).freeze
      DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
      SECONDS_OF_DATE = 784_111_777

      def setup
        put("page.html", TEXT)
        put("empty.txt", "")
        put("long.bin", LONG)
        %w[page.html long.bin].each { |name| File.utime(SECONDS_OF_DATE, SECONDS_OF_DATE, File.join(www, name)) }
        @tag, @date = get("/page.html").headers.values_at("etag", "last-modified")
      end

      def test_validators
        assert_equal DATE, @date
        assert_match(/\A"a-#{(SECONDS_OF_DATE * 1_000_000_000).to_s(16)}-\h+"\z/, @tag)
        File.write(File.join(www, "page.html"), "9876543210")
        File.utime(SECONDS_OF_DATE, SECONDS_OF_DATE + 1, File.join(www, "page.html"))
        refute_equal @tag, get("/page.html").headers["etag"]
      end

      SINGLE = { "bytes=2-4" => "234", "bytes=7-" => "789", "bytes=-3" => "789", "bytes=0-99" => TEXT,
                 "bytes=-99" => TEXT, "bytes=9-9" => "9", "BYTES=0-0" => "0", "bytes= 1-2 " => "12",
                 "bytes=0-1,1-3" => "0123", "bytes=5-6,,0-1" => "0123456", "bytes=99-,4-5" => "45",
                 "bytes=0-#{"9" * 900}" => TEXT }.freeze
      NONE = ["bytes=4-2", "lines=1-2", "bytes=-", "bytes=0-1,x", "bytes=x", "bytes=", "bytes", "bytes=1", "bytes=+1-2",
              "bytes=0x1-2", "bytes=1-2-3", "bytes=0-1,4-3", "bytes=#{"0-0," * 33}", "bytes=#{"0-0,#{" " * 100}" * 20}",
              "bytes=\u0661-2"].freeze

      def test_single
        SINGLE.each do |range, expected|
          response = get("/page.html", range: range)
          first = TEXT.index(expected)
          assert_equal [206, "bytes #{first}-#{first + expected.size - 1}/10", expected],
                       [response.status, response.headers["content-range"], content(response)], range
        end
        NONE.each { |range| assert_equal 200, status("/page.html", range: range), range }
        assert_equal 200, status("/page.html", range: "bytes=2-3", verb: "HEAD")
      end

      def test_unsatisfiable
        %w[bytes=10- bytes=-0 bytes=99-100 bytes=10-,-0].each do |range|
          response = get("/page.html", range: range)
          assert_equal [416, "bytes */10", "23", "The file has 10 bytes.\n"],
                       [response.status, *response.headers.values_at("content-range", "content-length"),
                        content(response)]
        end
        assert_equal [416, "bytes */0"], [(response = get("/empty.txt", range: "bytes=0-")).status,
                                          response.headers["content-range"]]
        assert_equal [200, ""], [(response = get("/empty.txt")).status, content(response)]
      end

      # Parts have the requested order. Ranges that nearly touch are joined, and then the parts have the order of the
      # file.
      def test_several
        { "bytes=0-9,200000-200009,100000-100009" => [[0, 10], [200_000, 10], [100_000, 10]],
          "bytes=250000-,1000-1999,100-200,150-1100" => [[100, 1900], [250_000, 50_000]],
          "bytes=-5,0-4" => [[299_995, 5], [0, 5]] }.each do |range, expected|
          response = get("/long.bin", range: range)
          type = response.headers["content-type"]
          body = content(response)
          assert_equal [206, body.bytesize.to_s], [response.status, response.headers["content-length"]]
          wanted = expected.map do |from, length|
            ["bytes #{from}-#{from + length - 1}/300000", LONG.byteslice(from, length)]
          end
          assert_equal wanted, parts(type, body), range
        end
      end

      def parts(type, body)
        boundary = type[%r{\Amultipart/byteranges; boundary=(\h+)\z}, 1] or flunk(type)
        pieces = body.split("\r\n--#{boundary}".b, -1)
        assert_equal ["", "--\r\n"], [pieces.shift, pieces.pop]
        pieces.map do |piece|
          head, bytes = piece.split("\r\n\r\n", 2)
          assert_includes head, "content-type: application/octet-stream"
          [head[/^content-range: (.*?)\r?$/, 1], bytes]
        end
      end

      # CVE-2011-3192: many ranges cost no more work and bytes than the file.
      def test_many_ranges
        all = (0...200).map { |n| "#{n}-" }.join(",")
        assert_equal 200, status("/long.bin", range: "bytes=#{all}")
        overlapping = (0...32).map { |n| "#{n}-" }.join(",")
        response = get("/long.bin", range: "bytes=#{overlapping}")
        assert_equal [206, LONG.bytesize], [response.status, content(response).bytesize]
        apart = (0...32).map { |n| "#{n * 1000}-#{n * 1000}" }.join(",")
        response = get("/long.bin", range: "bytes=#{apart}")
        assert_operator response.headers["content-length"].to_i, :<, 32 * 200
        assert_equal 32, parts(response.headers["content-type"], content(response)).size
      end

      EARLIER = "Sun, 06 Nov 1994 08:49:36 GMT"
      LATER = "Sunday, 06-Nov-94 08:49:38 GMT"
      LATER_STILL = "Sun Nov  6 08:49:39 1994"

      # Section 13.2.2: the precedence of several conditions.
      def conditions
        other = '"x"'
        { 304 => [{ if_none_match: @tag }, { if_none_match: %(#{other}, W/#{@tag}) }, { if_none_match: " * " },
                  { if_none_match: @tag, if_modified_since: EARLIER }, { if_modified_since: @date },
                  { if_modified_since: LATER }, { if_modified_since: LATER_STILL },
                  { if_match: @tag, if_none_match: @tag }, { if_none_match: @tag, range: "bytes=0-1" },
                  { if_match: @tag, if_unmodified_since: EARLIER, if_none_match: "*" }],
          412 => [{ if_match: other }, { if_match: "W/#{@tag}" }, { if_match: "" },
                  { if_match: other, if_none_match: @tag }, { if_unmodified_since: EARLIER },
                  { if_match: other, if_unmodified_since: LATER },
                  { if_match: other, range: "bytes=0-1" }, { if_match: @tag.delete('"') }],
          200 => [{ if_none_match: other }, { if_none_match: other, if_modified_since: LATER },
                  { if_modified_since: EARLIER }, { if_modified_since: "yesterday" }, { if_match: @tag },
                  { if_match: "*" }, { if_match: %(#{other} , #{@tag}) }, { if_unmodified_since: @date },
                  { if_unmodified_since: "x" },
                  { if_modified_since: "Sun, 31 Feb 1995 08:49:37 GMT" }, { if_none_match: @tag[0..-2] },
                  { if_range: other, range: "bytes=1-" }, { if_range: "W/#{@tag}", range: "bytes=1-" },
                  { if_range: EARLIER, range: "bytes=1-" }, { if_range: LATER, range: "bytes=1-" }, { if_range: @tag }],
          206 => [{ if_range: @tag, range: "bytes=1-" }, { if_range: @date, range: "bytes=1-" },
                  { if_none_match: other, if_match: @tag, range: "bytes=1-" }] }
      end

      def test_conditions
        conditions.each do |status, cases|
          cases.each do |fields|
            response = get("/page.html", **fields)
            assert_equal status, response.status, fields
            assert_equal @tag, response.headers["etag"], fields
            assert_equal status, status("/page.html", verb: "HEAD", **fields), fields if [304, 412].include?(status)
            response.close
          end
        end
      end

      # A time is not a strong validator if the file could change twice within its second.
      def test_if_range_with_a_fresh_time
        put("fresh.txt", TEXT)
        date = get("/fresh.txt").headers["last-modified"]
        assert_equal 200, status("/fresh.txt", if_range: date, range: "bytes=1-")
      end

      def test_dates
        { DATE => SECONDS_OF_DATE, "Sunday, 06-Nov-94 08:49:37 GMT" => SECONDS_OF_DATE,
          "Sun Nov  6 08:49:37 1994" => SECONDS_OF_DATE, "Mon, 31 Dec 2068 23:59:59 GMT" => 3_124_223_999,
          "Sun, 06 Nov 1994 08:49:37 +0000" => nil, "Sun, 31 Nov 1994 08:49:37 GMT" => nil, "" => nil,
          "Sun, 06 Nov 1994 25:49:37 GMT" => nil, "06 Nov 1994 08:49:37 GMT" => nil, "#{DATE}x" => nil,
          "Saturday, 06-Nov-99 08:49:37 GMT" => 941_878_177 }.each do |text, seconds|
          if seconds.nil?
            assert_nil(Response::HTTPDate.seconds(text),
                       text)
          else
            assert_equal(seconds, Response::HTTPDate.seconds(text), text)
          end
        end
        assert_equal DATE, Response::HTTPDate.of(Time.at(SECONDS_OF_DATE))
      end

      # Compares random ranges of a file with slices of its content in memory.
      def test_random_ranges_against_a_model
        random = Random.new(Spate.test_seed)
        60.times do
          from = random.rand(300_000)
          to = from + random.rand(300_000)
          got = content(get("/long.bin", range: "bytes=#{from}-#{to}"))
          assert got == LONG.byteslice(from..to), "bytes=#{from}-#{to}"
        end
      end
    end
  end
end
