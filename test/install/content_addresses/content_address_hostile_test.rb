# frozen_string_literal: true

require "install/content_address_case"

# Content-addressed gems that do not match their names, their source or the lockfile.
class ContentAddressHostileTest < ContentAddressCase
  def test_an_archive_of_another_digest
    entry = @source.catalog.add(recipe, recipe(says: "evil").archive)
    app = locked(entry)

    assert_fails(app, 8, "skin-1.0-#{entry.address}: expected a SHA-256 beginning with #{entry.address}, found " \
                         "#{entry.sha256}")
    assert_bundler_refuses(app, /content address mismatch/)
  end

  def test_an_archive_of_another_digest_in_vendor_cache
    entry = add("skin")
    app = locked(entry)
    write("app/vendor/cache/skin-1.0-#{entry.address}.gem", recipe(says: "evil").archive)

    assert_fails(app, 8, "expected a SHA-256 beginning with #{entry.address}", options: %w[--local])
    assert_bundler_refuses(app, /content address mismatch/, "--local")
  end

  # The archive is in the store, because it was installed under its ordinary name.
  def test_an_archive_that_the_store_has_under_another_name
    bytes = recipe(abi: nil).archive
    assert_installs(locked(@source.catalog.add(recipe(abi: nil), bytes), name: "first"), "skin-1.0-#{LOCAL}")
    entry = @source.catalog.add(recipe, bytes)

    assert_fails(locked(entry), 8, "expected a SHA-256 beginning with #{entry.address}")
    FileUtils.cp(@source.catalog.archive(entry.file), "#{@source.catalog.folder}/skin-1.0-#{entry.sha256[0, 12]}.gem")
    entry.address = entry.sha256[0, 12]
    entry.ruby = "~> #{ABI}.0"

    assert_fails(locked(entry, name: "other"), 8,
                 "skin-1.0-#{entry.address}: the archive contains \"skin-1.0-#{LOCAL}\"")
  end

  # The source lists a wrong address for an archive that is in the store.
  def test_a_wrong_address_of_an_archive_that_is_there
    entry = add("skin")
    locked(entry, name: "first").spate!("install")
    FileUtils.cp(@source.catalog.archive(entry.file), "#{@source.catalog.folder}/skin-1.0-12345678.gem")
    entry.address = "12345678"
    app = locked(entry)

    assert_fails(app, 8, "skin-1.0-12345678: expected a SHA-256 beginning with 12345678, found #{entry.sha256}")
    File.write(app.path("Gemfile.lock"), lockfile(app).sub("DEPENDENCIES", "CHECKSUMS\n  skin (1.0-#{LOCAL})\n\n\\0"))

    assert_fails(app, 8, "skin-1.0-12345678")
  end

  # The source lists the gem for one Ruby, but its archive supports several.
  def test_an_archive_for_several_rubies
    entry = @source.catalog.add(recipe(ruby: ">= 2"))
    entry.ruby = "~> #{ABI}.0"
    app = locked(entry)

    assert_fails(app, 8, "skin-1.0-#{entry.address}: the archive contains \"skin-1.0-#{LOCAL}\"")
    assert_bundler_refuses(app, /content address mismatch/)
  end

  def test_an_archive_for_another_platform
    entry = @source.catalog.add(recipe(platform: "arm64-darwin"))
    entry.platform = LOCAL
    # In the second run the metadata is read without RubyGems.
    2.times do |number|
      assert_fails(locked(entry, name: "app#{number}"), 8,
                   "skin-1.0-#{entry.address}: the archive is for arm64-darwin, not for #{LOCAL}")
    end
  end

  def test_a_row_that_names_another_ruby_than_its_archive
    entry = @source.catalog.add(recipe(abi: OTHER))
    entry.ruby = "~> #{ABI}.0"

    assert_fails(locked(entry), 15, "skin-1.0-#{entry.address} requires Ruby ~> #{OTHER}.0", BUNDLE_FROZEN: "true")
  end

  # Of two rows with the same address, the last valid one is used, as in Bundler.
  def test_two_rows_with_one_address
    entry = add("skin")
    wrong = entry.dup.tap { |row| row.sha256 = entry.address.ljust(64, "0") }
    none = wrong.dup.tap { |row| row.ruby = nil }
    app = locked(entry)
    @source.catalog.list(wrong, entry, none)
    app.bundle("install")
    FileUtils.rm_rf(app.path("vendor"))
    app.spate!("install")
    @source.catalog.list(entry, wrong)

    assert_fails(locked(entry, name: "other", home: "other"), 7, "skin-1.0-#{entry.address}", wrong.sha256)
  end

  def test_a_row_without_a_platform
    entry = add("skin")
    app = locked(entry)
    @source.fault("/info/skin", :garble, body: entry.info_line.sub(/,platform:.*/, ""))

    assert_fails(app, 14, "skin-1.0-#{entry.address} is not at", "the index does not list it")
  end

  def test_hostile_lockfiles
    entry = add("skin")
    app = locked(entry)
    text = lockfile(app)
    { "skin (1.0-#{LOCAL}) #{entry.address}" =>
        ["../skin (1.0-#{LOCAL}) #{entry.address}", "skin (1.0-../x) #{entry.address}", "skin (1.0-#{LOCAL}) ../../x",
         "skin (1.0-#{LOCAL}) 1234567", "skin (1.0-#{LOCAL}) #{"0" * 65}", "skin (1.0-#{LOCAL}) ABCDEF12",
         "skin (1.0) #{entry.address}", "skin (1.0-#{LOCAL}) #{entry.address} sha256=#{"0" * 64}",
         "skin (1.0-#{LOCAL}) #{entry.address}\n  skin (1.0-#{LOCAL}) 12345678"] }.each do |line, others|
      others.each do |other|
        File.write(app.path("Gemfile.lock"), text.sub(line, other))

        assert_fails(app, 3, "Gemfile.lock:")
      end
    end
  end

  private

  def recipe(platform: LOCAL, abi: ABI, says: abi, **more)
    files = { "lib/skin.rb" => "SKIN = #{says.inspect}\n" }
    GemSource::Recipe.new("skin", "1.0", platform: platform, abi: abi, files: files, **more)
  end

  # An application whose lockfile has no CHECKSUMS, so that the source is trusted.
  def locked(entry, name: "app", home: "home")
    application(name, "skin", home: home, lockfile: <<~LOCK)
      GEM
        remote: #{@source.url}
        specs:
          skin (1.0-#{LOCAL})

      PLATFORMS
        #{LOCAL}

      DEPENDENCIES
        skin
      #{"\nCONTENT ADDRESSES\n  skin (1.0-#{LOCAL}) #{entry.address}\n" if entry.address}
      BUNDLED WITH
        4.1.0.beta3
    LOCK
  end

  def assert_bundler_refuses(app, words, *options)
    FileUtils.rm_rf(app.path("vendor/bundle"))
    output, status = app.run("bundle", "install", *options)

    refute_predicate status, :success?
    assert_match words, output
  end
end
