# frozen_string_literal: true

require "remote_cache/entries"
require "spate/native/install"
require "zlib"

# Malicious blobs signed with a trusted key. None of their files may become a build in the store.
class PackTest < Minitest::Test
  include CacheEntries

  Pack = RemoteCache::Pack
  GOOD = { path: "gems/alpha-1.0/lib/alpha.so", type: :file, mode: 0o755, text: "library" }.freeze

  def store = @store ||= Spate::Store.open(home: "#{folder}/spate", env: {})
  def pack = Pack.new(store)

  def places
    Pack::Places.new("alpha-1.0", ["gems/alpha-1.0", "extensions/x86_64-linux/3.1.0/alpha-1.0"],
                     ["build_info/alpha-1.0.info"])
  end

  # [Entry, path] of a blob with these members, with a correct description by its signer. facts: changes to it.
  def blob(members, compress: :zstd, **facts)
    tar = write("tar", "")
    members.each { |member| member[:size] = member[:text].to_s.bytesize }
    File.open(tar, "wb") { |out| Pack::Tar.new(out).write(members) { |member, to| to.write(member[:text]) } }
    packed = compress == :zstd ? zstd(tar) : write("blob", compress.call(File.binread(tar)))
    files = members.select { |member| member[:type] == :file }
    [signed(packed, { tar_bytes: File.size(tar), paths: members.size, file_bytes: files.sum { |file| file[:size] } }
                    .merge(facts)), packed]
  end

  def signed(path, facts)
    entry(blob: Spate::Native.sha256_file(path), blob_bytes: File.size(path), **facts)
  end

  def zstd(tar)
    skip Spate::Native::Zstd.missing if Spate::Native::Zstd.missing
    packed = write("blob", "")
    File.open(tar, "rb") { |from| File.open(packed, "r+b") { |to| Spate::Native::Zstd.compress(from, to, 3) } }
    packed
  end

  def test_both_compressions_are_read
    [:zstd, Zlib.method(:gzip)].each do |compress|
      read = pack.read(*blob([GOOD.dup], compress: compress), places)
      assert_equal [[GOOD[:path], 0o755, 7]], read.map { |entry| entry.values_at(:path, :mode, :size) }
      assert_equal "library", File.binread(store.native.object_path(read[0][:sha256], read[0][:mode]))
    end
  end

  OUTSIDE = ["gems/beta-1.0/lib/beta.rb", "gems/alpha-1.0.1/x", "gems/alpha-1.0", "specifications/alpha-1.0.gemspec",
             "extensions/x86_64-linux/3.1.0/beta-1.0/x", "build_info/beta-1.0.info", "bin/alpha", "/etc/passwd",
             "gems/alpha-1.0/../beta-1.0/x", "../../x", "gems/alpha-1.0/a\nb"].freeze

  def test_paths_outside_of_the_gems_build
    OUTSIDE.each { |path| assert_refused(/./, [{ **GOOD, path: path }]) }
    assert_refused(/not a path for a build/, [{ **GOOD, path: OUTSIDE.first }])
  end

  def test_gem_from_git_has_its_checkout
    layout = Struct.new(:extensions_scope).new("x86_64-linux/3.1.0")
    inside = %w[bundler/gems/alpha-0a1b2c/lib/alpha.so
                bundler/gems/extensions/x86_64-linux/3.1.0/alpha-0a1b2c/gem_make.out]
    [Pack::Places.checkout(layout, "alpha-1.0", "alpha-0a1b2c"),
     Pack::Places.guess(layout, "alpha-1.0", inside.reverse)].each do |places|
      assert(inside.all? { |path| places.place?(path) })
      refute places.place?("bundler/gems/beta-0a1b2c/lib/x")
      refute places.place?("bundler/gems/alpha-0a1b2c/.git/hooks/post-checkout"), "git would run it"
      refute places.place?("bundler/gems/extensions/x86_64-linux/3.1.0/beta-0a1b2c/x")
    end
    assert Pack::Places.guess(layout, "alpha-1.0", [GOOD[:path]]).place?(GOOD[:path])
  end

  def test_links_out_of_the_build
    ["/etc/passwd", "../../beta-1.0/lib", "../../../../../etc", "../../..", "..//../beta-1.0", ""].each do |target|
      assert_refused(/link/, [{ path: "gems/alpha-1.0/lib/link", type: :symlink, mode: 0o777, target: target }])
    end
    ["alpha.so", "../ext", "./../data/x"].each do |target|
      link = { path: "gems/alpha-1.0/lib/link", type: :symlink, mode: 0o777, target: target }
      assert_equal target, pack.read(*blob([link]), places).first[:target]
    end
    assert_refused(/beneath/, [{ path: "gems/alpha-1.0/lib", type: :symlink, mode: 0o777, target: "ext" },
                               { **GOOD }])
  end

  def test_setuid_and_similar_modes
    [0o4755, 0o2755, 0o1777].each { |mode| assert_refused(/setuid/, [{ **GOOD, mode: mode }]) }
  end

  def test_more_or_less_than_the_signer_declared
    { paths: [0, 2], file_bytes: [0, 6, 8], tar_bytes: [0, 512, 2047] }.each do |name, values|
      values.each { |value| assert_refused(/./, [GOOD.dup], name => value) }
    end
    assert_refused(/more than/, [GOOD.dup], file_bytes: 1 << 40)
    bomb = [{ **GOOD, text: "\0" * (32 << 20) }]
    assert_refused(/more bytes|allowed/, bomb, tar_bytes: 1 << 20)
    assert_refused(/allowed/, bomb, file_bytes: 1 << 20)
    assert_refused(/allowed/, bomb, file_bytes: 1 << 20, compress: Zlib.method(:gzip))
  end

  # The blob consists only of headers: half a megabyte contains a hundred megabytes of them.
  def test_very_many_entries
    made, path = blob([{ path: "gems/alpha-1.0/x", type: :directory, mode: 0o755 }], compress: Zlib.method(:gzip))
    header = Zlib.gunzip(File.binread(path)).byteslice(0, 512)
    bytes = Zlib.gzip(header * 200_001, level: 1)
    assert_not_taken(/more than the allowed 200000 members/,
                     signed(write("blob", bytes), made.to_h.slice(:paths, :file_bytes).merge(tar_bytes: 200_001 * 512)))
  end

  def test_bytes_that_differ_from_the_signed_ones
    made, path = blob([GOOD.dup])
    [->(bytes) { bytes.chop }, ->(bytes) { "#{bytes}x" }, ->(bytes) { bytes.tap { bytes.setbyte(9, 1) } },
     ->(_) { "<html>proxy</html>" }, ->(_) { "" }].each do |change|
      File.binwrite(other = "#{folder}/other", change.call(File.binread(path)))
      assert_equal "the blob of alpha-1.0 does not match its digest and size",
                   assert_raises(RemoteCache::Refused) { pack.read(made, other, places) }.message
    end
  end

  def test_signed_blob_that_is_damaged_or_of_another_kind
    whole = File.binread(blob([GOOD.dup]).last)
    { /ends within/ => whole.chop, /neither zstd nor gzip/ => "BZh9", /neither/ => "",
      /gzip|inflate|compressed|deflate|ends|header/ => Zlib.gzip("no tar")[0..-5] }.each do |words, bytes|
      assert_not_taken(words, signed(write("blob", bytes), tar_bytes: 1 << 20, paths: 1, file_bytes: 7))
    end
  end

  def test_missing_zstd_is_a_miss_with_a_reason
    made, path = blob([GOOD.dup])
    library = FileUtils.mkdir_p("#{folder}/lib").first
    File.write("#{library}/libzstd.so.1", "no library")
    script = "require 'spate'; include Spate; p Native::Zstd.missing; " \
             "entry = Marshal.load(File.binread(ARGV[0])); " \
             "begin; RemoteCache::Pack.new(Store.open(home: ARGV[1], env: {})).read(entry, ARGV[2], nil); " \
             "rescue RemoteCache::Refused => e; puts e.message; end"
    said = IO.popen([{ "LD_LIBRARY_PATH" => library }, Spate::Util::Ruby.path, "-Ilib", "-e", script,
                     write("entry", Marshal.dump(made)), store.home, path, { err: %i[child out] }], &:read)

    expected = /\A".*libzstd.so.1.*"\nthe blob of alpha-1.0 is compressed by zstd, which is not installed.*libzstd/
    assert_match expected, said
  end

  # Blobs of compile caches have this form.
  def test_single_uncompressed_file
    [:zstd, Zlib.method(:gzip)].each_with_index do |compress, number|
      made, path = blob([GOOD.dup], compress: compress)
      pack.expand(made, path, to = "#{folder}/expanded#{number}")
      assert_equal File.binread("#{folder}/tar"), File.binread(to)
      made.tar_bytes -= 1
      assert_raises(RemoteCache::Refused) { pack.expand(made, path, "#{to}.short") }
    end
    made, path = blob([GOOD.dup], compress: ->(bytes) { "no such #{bytes}" })
    assert_raises(RemoteCache::Refused) { pack.expand(made, path, "#{folder}/none") }
  end

  private

  def assert_refused(words, members, **options)
    made, path = blob(members, **options)
    assert_not_taken(words, made, path)
  end

  def assert_not_taken(words, made, path = "#{folder}/blob")
    error = assert_raises(RemoteCache::Refused, words.inspect) { pack.read(made, path, places) }
    assert_match words, error.message
    assert_empty Dir.glob("#{store.root}/{builds,variants,tmp}/*"), "nothing is left"
  end
end
