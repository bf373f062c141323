# frozen_string_literal: true

require_relative "boot_case"

module Spate
  # Modified compile caches must never crash Ruby, and never run other code than the file's.
  class DamageTest < BootCase
    # A limit, because a compile cache whose data was returned stays mapped, and a process can have 65,530 mappings.
    FLIPS = ENV["SPATE_TEST_FULL"] ? 50_000 : 10_000

    # Real code, so that a wrongly accepted blob would have an effect.
    def files
      @files ||= Array.new(12) do |i|
        path = source("f#{i}.rb",
                      "# #{i}\n#{"def m#{i}(a, *b, c: 1) = [a, b, c, 'x#{i}', :y]\n" * (i + 1)}$from = #{i}\n")
        [path, state(path), ISEQ.compile_file(path).to_binary]
      end
    end

    def original = @original ||= cache(*files, name: "original", data: { "load_path_cache" => "i" * 300 })
    def bytes = @bytes ||= File.binread(original.path)

    # Opens a compile cache with these bytes; nil if it is invalid.
    def opened(changed)
      path = compile_cache_path("damaged")
      FileUtils.rm_f(path) # writes a new inode, as a correct writer does
      File.binwrite(path, changed)
      Native::CompileCache.open(path, key: KEY)
    rescue Native::CompileCache::Unusable => e
      (@reasons ||= Hash.new(0))[e.reason] += 1
      nil
    end

    def test_random_flips
      random = Random.new(Integer(ENV.fetch("SPATE_SEED", "5")))
      outcomes = Hash.new(0)
      FLIPS.times do
        at = random.rand(bytes.bytesize)
        changed = bytes.dup
        changed.setbyte(at, bytes.getbyte(at) ^ (1 << random.rand(8)))
        found = opened(changed)
        outcomes[found ? examine(found) : :refused] += 1
      end

      assert_empty %i[refused damaged] - outcomes.keys
      assert_equal FLIPS, outcomes.values.sum
    end

    def test_flips_in_code_that_is_loaded
      random = Random.new(6)
      original
      60.times do
        changed = bytes.dup
        3.times { changed.setbyte(random.rand(bytes.bytesize), random.rand(256)) }
        found = opened(changed) or next
        Loader.reset
        Loader.add(found)
        files.map(&:first).each_with_index { |path, i| assert_equal i, loaded(path).first }
        assert_equal found.verify.grep_v(/\Adata:/).size, Loader.counts[:damaged]
      end
    end

    def test_cut_off_at_every_4_kib
      (0...bytes.bytesize).step(4096) { |length| assert_nil opened(bytes[0, length]) }

      assert_equal [:short], @reasons.keys
    end

    def test_zeros
      assert_nil opened("\0" * bytes.bytesize)
      (4096...bytes.bytesize).step(4096) do |from|
        found = opened(bytes[0, from] + ("\0" * (bytes.bytesize - from)))
        assert_includes [:damaged, nil], found && examine(found)
      end
      assert_nil opened(bytes[0, 112] + ("\0" * (bytes.bytesize - 112)))
    end

    def test_a_header_that_claims_600_megabytes
      assert_nil opened(bytes.dup.tap { |changed| changed[16, 8] = [600 << 20].pack("Q") })
      assert_equal({ short: 1 }, @reasons)
    end

    def test_damaged_blob_is_loaded_from_another_compile_cache
      path = cached("a.rb")
      broken = damaged_copy_of(cache(file(path, "$from = :broken"), name: "broken"), "broken")
      Loader.reset
      Loader.add(Native::CompileCache.open(broken, key: KEY))
      assert_equal %i[disk damaged], loaded(path)
      assert_equal [[broken, :damaged]], Loader.problems
      Loader.add(cache(file(path)))

      assert_equal %i[compile_cache hit], loaded(path)
    end

    # The checksum is right, but this Ruby does not accept the blob.
    def test_a_blob_that_ruby_refuses
      path = source("a.rb")
      version = blob(path).tap { |code| code[4, 8] = [99, 1].pack("L2") }
      ["nonsense", "x", version].each_with_index do |code, i|
        Loader.reset
        Loader.add(cache([path, state(path), code], name: "refused#{i}"))

        assert_equal %i[disk damaged], loaded(path)
        assert_equal [[compile_cache_path("refused#{i}"), :refused]], Loader.problems
      end
    end

    def test_damaged_data_is_nil
      made = cache(data: { "load_path_cache" => "find me", "other" => "fine" })
      found = opened(File.binread(made.path).sub("find me", "find he"))

      assert_nil found.data("load_path_cache")
      assert_equal ["fine", ["data:load_path_cache"]], [found.data("other"), found.verify]
    end

    private

    # Asserts that all returned data equals the data written, and that `verify` names each file without a blob. Returns
    # :padding if `verify` names none, else :damaged.
    def examine(found)
      damaged = found.verify
      files.each do |path, _, blob|
        given = found.entry(path) && found.blob(path)
        assert_equal blob, given if given
        assert_includes damaged, path unless given
      end
      given = found.data("load_path_cache")
      assert_equal "i" * 300, given if given
      damaged.empty? ? :padding : :damaged
    end

    def damaged_copy_of(made, word)
      copy = compile_cache_path("copy")
      File.binwrite(copy, File.binread(made.path).sub(word, word.reverse))
      copy
    end
  end
end
