# frozen_string_literal: true

require "test_helper"
require "support/bucket_nodes"

module Spate
  module Server
    # A bucket that is not what one would wish: gone, slow, full, damaged. Whatever happens, nothing is in a node's
    # folder that the bucket lacks, and nothing that is not as it is named.
    class CacheBucketTest < Minitest::Test
      include BucketNodes

      def test_a_bucket_that_is_killed
        one = node
        one.put(blob("kept"), "kept")
        @s3.stop(:KILL)
        assert_equal [200, 502, 502], codes(one.fetch(blob("kept")), one.fetch(blob("other")), one.fetch("/cas/"))
        assert_equal [502, 502], codes(one.head(blob("kept")), one.delete(blob("kept")))
        assert_equal [502, 502], codes(one.put(blob("kept"), "kept"), one.put(blob("other"), "other"))
        assert_equal "10", one.fetch(document("x"))["retry-after"]
        assert_equal [blob("kept")[1..]], one.stored
        assert_equal 502, one.put(document("x"), "x").code.to_i
        assert_operator one.questions[:failed], :>=, 8
        assert_match(%r{cas/\h+ cannot be stored: the cache s3://acme-builds/ruby at \S+ \w+}, one.stop.last)
      end

      # Between the question whether the blob is there and the blob.
      def test_a_bucket_that_takes_nothing
        { 403 => 502, 507 => 507, 503 => 504 }.each do |code, status|
          one = node
          content = "x" * (100_000 + code)
          @proxy.fault(after(1), :status, code: code)
          assert_equal status, one.put(blob(content), content).code.to_i, code
          assert_equal status, one.put(document(content), content).code.to_i, code
          assert_empty one.stored
          @proxy.clear_faults
          assert_equal [201, 201], codes(one.put(blob(code.to_s), code.to_s), one.put(document("x"), "x"))
        end
      end

      # What breaks off, is changed on its way, or is somebody's page.
      def test_a_bucket_with_damaged_bytes
        one, other = nodes(2)
        content = "content" * 1000
        one.put(blob(content), content)
        [[:truncate, 502], [:corrupt, 502], [:garble, 502, { body: "other" }], [:html, 502], [:reset, 502],
         [:status, 504, { code: 503 }]].each do |kind, status, facts|
          @proxy.fault(/cas/, kind, times: 1, **facts.to_h)
          assert_equal status, other.fetch(blob(content)).code.to_i, kind
          assert_empty other.stored, kind
        end
        assert_equal content, other.fetch(blob(content)).body
        assert_includes other.stop.last, "bucket has bytes with the SHA-256 #{Digest::SHA256.hexdigest("other")}\n"
      end

      # Damaged for good: nobody is ever given it.
      def test_a_damaged_object
        one, other = nodes(2)
        one.put(blob("content"), "content")
        File.write(kept.first, "contend")
        assert_equal ["502"] * 2, Array.new(2) { other.fetch(blob("content")).code }
        assert_equal ["content", []], [one.fetch(blob("content")).body, other.stored]
      end

      # Half a list is no list: what it does not name would be taken for gone.
      def test_a_list_that_breaks_off
        one = node
        one.put(blob("x"), "x")
        @proxy.fault(/list-type/, :truncate)
        assert_equal 502, one.fetch("/cas/").code.to_i
      end

      # After its first part, when the answer has begun.
      def test_a_list_that_breaks_off_later
        client = Object.new
        client.define_singleton_method(:head) { |_| nil }
        client.define_singleton_method(:each) do |_|
          Enumerator.new do |names|
            100.times { |index| names.yield("cas/#{Digest::SHA256.hexdigest(index.to_s)}", 1, Time.now) }
            raise "the rest is lost"
          end
        end
        node = Cache::BucketNode.new(folder, bucket: client, access: Cache::Access.new(anyone: true))
        request = Request.new(verb: "GET", target: "/cas/", headers: {}, version: "HTTP/1.1")
        answers = Thread::Queue.new
        request.define_singleton_method(:answer) { |response| answers << response }
        node.call(request)
        first, second = Timeout.timeout(10) { [answers.pop, answers.pop] }
        assert_equal [200, 500], [first.status, second.status], "the second is never sent"
        lines = []
        outbox = Struct.new(:room).new(1 << 20)
        outbox.define_singleton_method(:raw) { |bytes| lines.concat(bytes.lines) }
        error = assert_raises(RuntimeError) { 2.times { first.body.raw(outbox, 1 << 20) } }
        assert_equal ["the rest is lost", 65], [error.message, lines.size]
      end

      # Eight threads wait, and more that ask: whoever needs no thread is answered, and the end does not wait.
      def test_a_bucket_that_does_not_answer
        one = node("--drain", "1")
        one.put(blob("kept"), "kept")
        waiting = true
        @proxy.fault(/cas/, :delay, until: -> { !waiting })
        asking = Array.new(12) { |index| Thread.new { one.fetch(blob(index.to_s)).code.to_i } }
        asking.each { |thread| thread.report_on_exception = false }
        eventually("they ask") { asked("GET") == 8 }
        assert_equal ["kept", 404, 201], [one.fetch(blob("kept")).body, one.fetch(document("x")).code.to_i,
                                          one.put(document("x"), "x").code.to_i]
        assert_equal 0, one.stop.first
        waiting = false
        asking.each { |thread| assert_raises(EOFError, SystemCallError) { thread.value } }
        assert_equal [blob("kept")[1..]], one.stored
      end

      # Whatever was on its way, the next one finds whole entries or none.
      def test_a_node_that_is_killed
        one, other = nodes(2)
        sending = TCPSocket.new("127.0.0.1", one.port)
        sending.write("PUT #{blob("half")} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n\r\nha")
        eventually("it is being written") { one.stored.any? }
        waiting = true
        @proxy.fault(after(1), :delay, until: -> { !waiting })
        content = "x" * 200_000
        asking = Thread.new { one.put(blob(content), content) }
        asking.report_on_exception = false
        eventually("the bucket has it") { kept.any? && one.stored.grep(/tmp/).size == 2 }
        one.stop(:KILL)
        waiting = false
        assert_raises(EOFError, SystemCallError) { asking.value } # Net::HTTP asks again
        assert_equal [%w[tmp], [content], 404], [one.stored.map { |path| File.dirname(path) }.uniq,
                                                 [other.fetch(blob(content)).body], other.fetch(blob("half")).code.to_i]
        again = Node.new(one.folder, address)
        @nodes << again
        assert_equal [content, "404", "201"], [again.fetch(blob(content)).body, again.fetch(blob("half")).code,
                                               again.put(blob("half"), "half").code]
      ensure
        sending&.close
      end

      # No key is in what a node tells.
      def test_keys_are_told_nobody
        one = node(env: ENVIRONMENT.merge("AWS_ACCESS_KEY_ID" => "strange", "AWS_SECRET_ACCESS_KEY" => "secret"))
        told = [one.fetch(blob("x")), one.put(document("x"), "x")]
        assert_equal [502, 502], codes(*told)
        log = one.stop.last
        assert_match(/the bucket does not help: the cache \S+ at \S+ answers 403/, log)
        refute_match(/strange|secret/, "#{log} #{bodies(*told)}")
      end

      def test_what_cannot_begin
        said = lambda do |*words, env: {}|
          Open3.capture2e(ENVIRONMENT.merge(env), *Cached::COMMAND, "--cache", "#{folder}/x", *words).first
        end
        assert_match(/\Aerror: .* is no bucket\nhint: s3:/, said["--cache-bucket", "https://cache.test"])
        assert_match(/\Aerror: .*the option keys, expected one of region/, said["--cache-bucket", "s3://acme/x?keys=1"])
        assert_match(/\Aerror: .*the profile nobody, which is in no file/,
                     said["--cache-bucket", address, env: { "AWS_PROFILE" => "nobody" }])
      end

      # Each pool has its bounds; what is small has its own. The end waits for nobody.
      def test_too_many_who_wait
        gate = Thread::Queue.new
        client = Object.new
        client.define_singleton_method(:facts) { |_| gate.pop }
        bucket = Cache::Bucket.new(client, Monitoring::Metrics.new(Monitoring::Metrics.counters(1), 1))
        request = Struct.new(:connection).new(Connection::Null::ONE)
        told = Thread::Queue.new
        count = Cache::Bucket::THREADS + Cache::Bucket::MOST + 10
        count.times { bucket.facts(request, Cache::Name.new("cas", "a" * 64)) { |_, fault| told << fault&.first } }
        free = Thread::Queue.new
        bucket.fetch(request, -> { true }) { |answer, _| free << answer }
        assert Timeout.timeout(10) { free.pop }
        assert_includes 9..(9 + Cache::Bucket::THREADS), told.size
        client.define_singleton_method(:close) { gate.close }
        Timeout.timeout(10) { bucket.close }
        answers = Timeout.timeout(10) { Array.new(count) { told.pop } }
        assert_equal [503, nil], answers.uniq
      ensure
        gate&.close
      end

      # Its client is that of the gem spate, of the same version.
      def test_without_the_gem_spate
        { "raise LoadError, 'cannot load such file -- spate'" => "cannot load such file -- spate",
          "module Spate; VERSION = '0.0.1'; end" => "found 0.0.1" }.each do |text, reason|
          write("lib/spate.rb", text)
          env = { "RUBYLIB" => "#{folder}/lib:#{File.expand_path("../../../lib", __dir__)}" }
          said, status = Open3.capture2e(env, *Cached::COMMAND, "--cache", "#{folder}/x", "--cache-bucket", address)
          assert_equal "error: a bucket needs the gem spate #{VERSION}: #{reason}\nhint: gem install spate\n", said
          assert_equal 9, status.exitstatus
        end
      end

      private

      # For a Fault: none of the first requests, all others.
      def after(count)
        seen = 0
        ->(_) { (seen += 1) > count }
      end
    end
  end
end
