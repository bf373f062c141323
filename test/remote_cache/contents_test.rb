# frozen_string_literal: true

require_relative "entries"
require_relative "transport_case"

# Garbage collection and verification, for every kind of cache.
module ContentsCase
  include TransportCase
  include CacheEntries

  DAY = 24 * 60 * 60

  def setup
    @home = Dir.mktmpdir("spate-contents-")
    @cache = transport(place)
  end

  def teardown
    @server&.stop
    FileUtils.rm_rf(@home)
    super
  end

  # The folder in which all three kinds of cache keep their files.
  def root = "#{@home}/cache"
  def contents(**options) = RemoteCache::Contents.new(@cache, trust: trust, store: store, **options)
  def store = @store ||= Spate::Store.open(home: "#{@home}/store", env: {})
  def collect(names: [], **options) = contents.collect(before: Time.now - DAY, names: names, **options)

  # Publishes a build like a machine of the team. Returns the name of its document.
  def publish(what, blob: what, key: hex(what))
    @cache.put(cas(blob), blob)
    entry = entry(key: key, what: "#{what}-1.0", blob: hex(blob), blob_bytes: blob.bytesize)
    RemoteCache::Document.name(key).tap { |name| @cache.put(name, RemoteCache::Document.new([entry]).encode) }
  end

  def path(name) = "#{root}/#{name}"
  def move(from, to) = File.rename(path(from), path(to))
  def aged(*names) = names.each { |name| File.utime(Time.now - (2 * DAY), Time.now - (2 * DAY), path(name)) }
  def there = %w[ac/ cas/].flat_map { |prefix| @cache.each(prefix).to_a.map(&:first) }

  def test_old_unnamed_entries_are_collected
    alpha, beta, gamma = %w[alpha beta gamma].map { |what| publish(what) }
    %w[one two].each { |text| @cache.put(cas(text), text) }
    aged(alpha, beta, *%w[alpha beta gamma one two].map { |text| cas(text) })
    options = { names: %w[beta-1.0], archives: [hex("two")] }
    before = there
    told = collect(**options, dry: true)

    assert_equal [3, 5, 3, 0], told.to_a.first(4)
    assert_equal before, there
    assert_equal told, collect(**options)
    assert_equal [beta, gamma, *%w[beta gamma two].map { |text| cas(text) }].sort, there.sort
    assert_equal 0, collect(**options).removed
  end

  # An entry of ccache may be larger than any document.
  def test_entries_of_another_program
    publish("alpha")
    @cache.put(other = ac("other"), "x" * (5 << 20))
    assert_equal [other], contents.verify { |fault| (@faults ||= []) << fault.name } && @faults
    aged(other)
    assert_equal [2, 1, 1], collect(names: %w[alpha-1.0]).to_a.first(3)
    refute_includes there, other
  end

  # A document published during the collection refers to an old blob.
  def test_collection_beside_a_writer
    publish("alpha")
    @cache.put(cas("beta"), "beta")
    aged(cas("alpha"), cas("beta"))
    published = nil
    collected = contents(progress: ->(*) { published ||= publish("beta") }).collect(before: Time.now - DAY)

    assert_equal 0, collected.removed
    assert_equal "beta", @cache.get(cas("beta"), limit: 9)
  end

  # A document for an old blob is written between the listing and the deletion.
  def test_collection_beside_a_push_at_the_moment_of_deletion
    alpha = publish("alpha")
    @cache.put(cas("beta"), "beta")
    aged(alpha, cas("alpha"), cas("beta"))
    again = { alpha => "alpha", cas("beta") => "beta" }
    @cache.define_singleton_method(:time) do |name|
      again.delete(name)&.then { |text| text == "beta" ? put(name, text) : put(name, get(name, limit: 9999)) }
      super(name)
    end

    assert_equal 0, collect.removed
    assert_equal [alpha, cas("alpha"), cas("beta")].sort, there.sort
  end

  # Entries of other programs, and unreadable ones, may refer to unknown blobs.
  def test_collection_beside_documents_of_others
    result = RemoteCache::Document::ActionResult
    publish("alpha").then { |name| aged(name, cas("alpha")) }
    @cache.put(cas("object"), "object")
    aged(cas("object"))
    @cache.put(ac("bazel"), result.new([result::File.new("main.o", hex("object"), 6)], "").encode)
    assert_equal [2, [ac("bazel"), cas("object")]], [collect.removed, there]
    aged(ac("bazel"))
    ["\xff", "x" * (result::LIMIT + 1)].each do |bytes|
      @cache.put(ac("other"), bytes)
      assert_equal [1, [ac("other"), cas("object")]], [collect.removed, there]
      @cache.put(ac("bazel"), bytes)
      aged(ac("bazel"))
    end
    aged(*there)

    assert_equal [3, []], [collect.removed, there]
  end

  def test_oversized_document_is_reported
    @cache.put(ac("long"), "x" * (RemoteCache::Document::ActionResult::LIMIT + 1))
    faults = []
    contents.verify { |fault| faults << fault }

    assert_equal [ac("long")], faults.map(&:name)
    assert_match(/of more than 4194304 bytes/, faults.first.reason)
  end

  # The document refers to a blob that was sent after the listing.
  def test_document_written_while_others_are_read
    publish("alpha")
    published = nil
    told = ->(*) { published ||= publish("alpha", blob: "later") }

    contents(progress: told).verify { |fault| flunk fault.to_a.inspect }
    assert published
  end

  # A blob of another program may exceed the limit. All others are still read.
  def test_oversized_blob_is_reported
    %w[alpha beta].each { |what| publish(what) }
    name = cas("alpha")
    @cache.define_singleton_method(:fetch) { |one, limit:, **more| super(one, limit: one == name ? 4 : limit, **more) }
    faults = []
    contents.verify { |fault| faults << fault }

    assert_equal [name], faults.map(&:name)
    assert_match(/5 bytes.*, expected at most 4/, faults.first.reason)
  end

  def test_verify_reports_faults
    %w[alpha beta].each { |what| publish(what) }
    stolen = publish("gamma", key: hex("other"))
    move(stolen, ac("moved"))
    File.binwrite(path(cas("alpha")), "x")
    FileUtils.rm(path(cas("beta")))
    @cache.put(ac("page"), "<html>")
    faults = []
    told = []
    found = contents(progress: ->(*facts) { told << facts }).verify { |fault| faults << fault.to_a }

    assert_equal [4, 2], found.values_at(:documents, :blobs)
    assert_equal [["a field of type 4 in an action result", ac("page")],
                  ["alpha-1.0: its blob is missing", RemoteCache::Document.name(hex("alpha"))],
                  ["beta-1.0: its blob is missing", RemoteCache::Document.name(hex("beta"))],
                  ["gamma-1.0: it belongs to another name", ac("moved")],
                  ["its content does not match its digest", cas("alpha")]],
                 faults.map(&:reverse).sort
    assert_equal [["read", 2, 2], ["read", 4, 4]], told.select { |_, done, of| done == of }
  end
end

class FolderContentsTest < Minitest::Test
  include ContentsCase

  def place = FileUtils.mkdir_p(root).first

  # A killed writer, a running one, and one that continues after a day.
  def test_files_of_killed_writers_are_collected
    killed, working, asleep = %w[killed working asleep].map { |text| writer(text) }
    Process.kill(:KILL, killed.pid)
    Process.wait(killed.pid)

    assert_equal [0, 3], [collect.unfinished, unfinished.size]
    aged(*unfinished.grep_v(/\.#{working.pid}-/))
    assert_equal [2, 12], collect(dry: true).to_a.last(2)
    assert_equal [2, [working.pid]], [collect.unfinished, unfinished.map { |name| name[/\.(\d+)-/, 1].to_i }]
    assert_equal ["written", "the cache #{root} no longer has #{cas("asleep")}, which was being written"],
                 [working, asleep].map { |child| outcome(child) }
    assert_equal [cas("working")], there
    assert_empty unfinished
  end

  # Each response waits until other requests arrive.
  def test_documents_are_read_concurrently
    20.times { |number| publish("gem#{number}") }
    inside = Thread::Queue.new
    most = 0
    @cache.define_singleton_method(:get) do |name, **options|
      inside << name
      most = [most, inside.size].max
      Timeout.timeout(10) { sleep 0.001 until most > 5 }
      super(name, **options).tap { inside.pop }
    end

    assert_equal [20, 20], contents.verify { |fault| flunk fault.inspect }.values_at(:documents, :blobs)
    assert_operator most, :<=, RemoteCache::Contents::THREADS
  end

  def test_failure_ends_the_verification
    20.times { |number| @cache.put(cas("x#{number}"), "x#{number}") }
    asked = []
    @cache.define_singleton_method(:fetch) do |name, **|
      asked << name
      raise Unavailable.new(:slow, self, "is slow")
    end

    assert_unavailable(:slow) { contents.verify { flunk } }
    assert_operator asked.size, :<=, RemoteCache::Contents::THREADS
    assert_empty Dir.children("#{store.root}/tmp")
  end

  def test_more_names_than_are_kept_in_memory
    Dir.mkdir("#{root}/cas")
    endless = @cache
    endless.define_singleton_method(:each) { |prefix, &block| loop { block.call("#{prefix}#{rand}", 1, Time.now) } }
    most = RemoteCache::Contents::MOST
    RemoteCache::Contents.send(:remove_const, :MOST)
    RemoteCache::Contents.const_set(:MOST, 1000)

    assert_unavailable(:answer, /more than 1000 names below ac/) { collect }
  ensure
    RemoteCache::Contents.send(:remove_const, :MOST)
    RemoteCache::Contents.const_set(:MOST, most)
  end

  private

  Child = Struct.new(:pid, :input, :output)

  # A child process in the middle of a put: its source waits for a line before it continues.
  def writer(text)
    inputs, outputs = IO.pipe, IO.pipe
    pid = fork do
      inputs[1].close
      source = File.open(write(text, text))
      waiting = outputs[1]
      source.define_singleton_method(:rewind) { nil }
      IO.singleton_class.prepend(Module.new do
        define_method(:copy_stream) do |from, to|
          super(from, to)
          to.flush
          waiting.puts("begun")
          inputs[0].gets
        end
      end)
      RemoteCache.transport(place).put(cas(text), source)
      waiting.puts("written")
    rescue Unavailable => e
      waiting.puts(e.message)
    ensure
      exit!
    end
    outputs[1].close
    inputs[0].close
    assert_equal "begun\n", outputs[0].gets
    Child.new(pid, inputs[1], outputs[0])
  end

  def outcome(child)
    child.input.puts
    child.output.gets.to_s.chomp
  ensure
    Process.wait(child.pid)
  end

  def unfinished = Dir.glob("*/*.*-*", base: root)
end

class NginxContentsTest < Minitest::Test
  include ContentsCase

  def place
    @server = WebServers.nginx(@home) or skip "no nginx on this machine"
    "http://ci:secret@127.0.0.1:#{@server.port}"
  end
end

class NodeContentsTest < Minitest::Test
  include ContentsCase

  def place
    @server = WebServers.node(@home)
    "http://ci:secret@127.0.0.1:#{@server.port}"
  end
end
