# frozen_string_literal: true

require "install/content_address_case"

# Content-addressed gems, compared with the real Bundler and RubyGems.
class ContentAddressTest < ContentAddressCase
  LOOK = "require 'skin'; puts SKIN, $LOAD_PATH.grep(/bundle.ruby/).map { |path| path[/bundle.ruby.*/] }.sort, " \
         "Gem.loaded_specs.values.map { |spec| [spec.full_name, spec.content_address].inspect }.sort, Bundler::VERSION"

  def test_bundle_equals_that_of_bundler
    address = add("skin", dependencies: { "plain" => ">= 0" }).address
    add("skin", abi: nil)
    add("skin", abi: nil, platform: "ruby")
    add("skin", abi: OTHER)
    add("tool", executables: %w[tool], files: { "lib/rubygems_plugin.rb" => "# nothing\n" })
    theirs, mine = assert_same("skin", "tool")

    assert_path_exists "#{mine.bundle_root}/specifications/#{ABI}/skin-1.0-#{address}.gemspec"
    assert_path_exists "#{mine.bundle_root}/plugins/#{ABI}/tool_plugin.rb"
    assert_match(/satisfied/, mine.bundle("check"))
    assert_match(/complete: 3 gems/, mine.spate!("check"))
    assert_match(/^skin +1\.0-#{LOCAL} /, mine.spate!("list"))
    assert_match(/nothing to do/, mine.spate!("install"))
    expected = theirs.bundle("exec", "ruby", "-e", LOOK)

    assert_match(/skin-1\.0-#{address}/, expected)
    2.times { assert_equal expected, without_messages(mine.spate!("exec", "ruby", "-e", LOOK)) }
  end

  # A gem with an address comes before an ordinary gem of any platform.
  def test_content_address_takes_precedence_over_an_ordinary_gem
    address = add("skin", platform: "#{LOCAL}-gnu").address
    add("skin", abi: nil)
    add("skin", abi: nil, platform: "ruby")
    _, mine = assert_same("skin")

    assert_equal ["skin-1.0-#{address}"], children("#{mine.bundle_root}/gems")
  end

  # Texts in the format of Psych, which RubyGems 4.1 reads. The first install reads the metadata with RubyGems, and
  # caches the dialect that the second one uses.
  def test_texts_of_several_lines
    long = "It is: \"quoted\" \u00e9 and long, " * 6
    add("skin", dependencies: { "plain" => ">= 0" }) do |spec|
      spec.description = long
      spec.authors = [long, "Anne"]
      spec.metadata = { "a" => long }
    end
    _, mine = assert_same("skin")
    before = tree(mine)
    FileUtils.rm_rf([mine.path("vendor"), "#{mine.home}/spate/store/v1/specs"])
    FileUtils.rm_rf(Dir.glob("#{mine.home}/spate/store/v1/packages/*"))
    mine.spate!("install")

    assert_empty Spate::TreeComparison.differences(before, tree(mine))
  end

  def test_cleaning
    old = add("skin").address
    theirs, mine = assert_same("skin")
    @source.add("skin", "2.0", platform: LOCAL, abi: ABI)
    [theirs, mine].each { |app| File.delete(app.path("Gemfile.lock")) }
    theirs.bundle("lock")
    File.write(mine.path("Gemfile.lock"), lockfile(theirs))
    theirs.bundle("install")
    theirs.bundle("clean")
    output = mine.spate!("install", "--clean")

    assert_match(/skin-1\.0/, output)
    refute_path_exists "#{mine.bundle_root}/gems/skin-1.0-#{old}"
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
  end

  def test_the_machines_gems
    address = add("skin", files: { "lib/rubygems_plugin.rb" => "# nothing\n" }).address
    theirs, mine = %w[bundler spate].map do |name|
      env = { "GEM_HOME" => "#{folder}/#{name}-gems", "BUNDLE_PATH" => nil, "BUNDLE_PATH__SYSTEM" => "true" }
      application(name, "skin", env: AddressingRubygems.environment.merge(env))
    end
    theirs.bundle("install")
    mine.spate!("install")
    trees = %w[bundler spate].map { |name| Spate::TreeComparison.snapshot("#{folder}/#{name}-gems") }

    assert_includes trees.first.keys, "specifications/#{ABI}/skin-1.0-#{address}.gemspec"
    assert_empty Spate::TreeComparison.differences(*trees)
    assert_match(/nothing to do/, mine.spate!("install"))
    elsewhere = { "GEM_HOME" => "#{folder}/empty", "GEM_PATH" => "#{folder}/bundler-gems:#{theirs.env["GEM_PATH"]}" }
    other = application("other", "skin", lockfile: lockfile(mine), env: theirs.env.merge(elsewhere))

    assert_match(/nothing to do/, other.spate!("install"), "in a folder that RubyGems searches")
  end

  # The gems are built by `gem build`, with all kinds of metadata.
  def test_gems_that_rubygems_built
    path = build("made", <<~RUBY, "lib/made.rb" => "MADE = 1\n", "exe/made" => "#!/usr/bin/env ruby\nrequire 'made'\n")
      spec.executables = ["made"]
      spec.bindir = "exe"
      spec.metadata = { "rubygems_mfa_required" => "true" }
      spec.add_dependency "plain", "~> 1.0"
      spec.post_install_message = "Thanks\\nfor it"
    RUBY
    FileUtils.mv(path, @source.catalog.folder)
    restart_source
    _, mine = assert_same("made")

    assert_equal [File.basename(path, ".gem"), "plain-1.0"],
                 children("#{mine.bundle_root}/gems")
    assert_match(/\Amade-1\.0-\h{8}\.gem\z/, File.basename(path))
  end

  def test_an_extension_is_built_for_the_address
    address = add("skin", native: true).address
    _, mine = assert_same("skin") { |theirs, mine| [theirs, mine].each { |app| no_debug(app) } }

    assert_path_exists Dir.glob("#{mine.bundle_root}/extensions/*/*/skin-1.0-#{address}/gem.build_complete").first
    assert_match(/nothing to do/, mine.spate!("install"))
  end

  def test_archives_of_the_application
    address = add("skin").address
    theirs = application("bundler", "skin")
    theirs.bundle("cache")
    mine = application("spate", "skin", lockfile: lockfile(theirs))
    FileUtils.cp_r(theirs.path("vendor"), mine.folder)
    [theirs, mine].each { |app| FileUtils.rm_rf(app.path("vendor/bundle")) }
    @source.stop
    theirs.bundle("install", "--local")
    mine.spate!("install", "--local")

    assert_equal ["skin-1.0-#{address}.gem"], children(mine.path("vendor/cache"))
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
  end

  def test_a_plugin_moves_with_the_kind_of_its_gem
    plugin = { "lib/rubygems_plugin.rb" => "# nothing\n" }
    add("skin", abi: nil, files: plugin)
    theirs, mine = assert_same("skin")
    ordinary = lockfile(mine)
    add("skin", files: plugin)
    [theirs, mine].each { |app| File.delete(app.path("Gemfile.lock")) }
    theirs.bundle("lock")
    File.write(mine.path("Gemfile.lock"), lockfile(theirs))
    theirs.bundle("install")
    mine.spate!("install")

    assert_equal [ABI], children("#{mine.bundle_root}/plugins")
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
    File.write(mine.path("Gemfile.lock"), ordinary)
    File.write(theirs.path("Gemfile.lock"), ordinary)
    [theirs, mine].each { |app| FileUtils.rm_rf("#{app.bundle_root}/specifications/skin-1.0-#{LOCAL}.gemspec") }
    theirs.bundle("install")
    mine.spate!("install")

    assert_equal [ABI, "skin_plugin.rb"], children("#{mine.bundle_root}/plugins")
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
  end

  # An address may have more than eight digits.
  def test_one_archive_under_two_addresses
    entry = add("skin")
    _, mine = assert_same("skin")
    short, long = [8, 12].map { |size| entry.sha256[0, size] }
    FileUtils.cp(@source.catalog.archive(entry.file), "#{@source.catalog.folder}/skin-1.0-#{long}.gem")
    entry.address = long
    lock = lockfile(mine).sub(" #{short} ", " #{long} ")
    [mine, theirs = application("others", "skin", lockfile: lock)].each do |app|
      FileUtils.rm_rf(app.path("vendor"))
      File.write(app.path("Gemfile.lock"), lock)
    end
    theirs.bundle("install")
    mine.spate!("install")

    assert_equal ["skin-1.0-#{long}"], children("#{mine.bundle_root}/gems")
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
  end

  # Ordinary gems with plugins are handled as by Bundler 4.1.
  def test_the_plugin_of_an_older_version
    %w[1.0 2.0].each { |version| @source.add("plug", version, files: { "lib/rubygems_plugin.rb" => "# nothing\n" }) }
    theirs, mine = assert_same("plug")
    [theirs, mine].each { |app| File.write(app.path("Gemfile"), "source '#{@source.url}'\ngem 'plug', '1.0'\n") }
    theirs.bundle("install")
    mine.spate!("install")

    assert_includes File.read("#{mine.bundle_root}/plugins/plug_plugin.rb"), "plug-1.0"
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
  end

  def test_compile_cache
    address = add("skin", dependencies: { "plain" => ">= 0" }).address
    app = application("app", "skin")
    skin = "#{app.bundle_root}/gems/skin-1.0-#{address}"

    assert_match(/^compile caches: 2 gems compiled/, app.spate!("install", "--compile-cache", "wait"))
    assert_match(%r{#{Regexp.escape(skin)}/lib/skin\.rb}, app.spate!("boot", "explain", "skin"))
    told = app.spate!("exec", "ruby", "-e", "require 'skin'; puts SKIN, $LOADED_FEATURES.grep(/skin.rb/)")

    assert_equal [ABI, "#{skin}/lib/skin.rb"], told.lines(chomp: true)
    assert_match(/skin/, app.spate!("edit", "skin"))
    File.write("#{skin}/lib/skin.rb", "SKIN = 'mine'\n")

    assert_equal "mine\n", app.spate!("exec", "ruby", "-e", "require 'skin'; puts SKIN")
    app.spate!("restore", "skin")

    assert_equal "#{ABI}\n", app.spate!("exec", "ruby", "-e", "require 'skin'; puts SKIN")
    FileUtils.rm_rf(skin)
    output, status = app.spate("check")

    assert_equal [11, true], [status.exitstatus, output.include?("skin-1.0-#{address}")], output
    assert_match(/skin-1\.0-#{address}: its folder is missing/, app.spate("doctor").first)
  end

  # The address in the lockfile is for a different Ruby.
  def test_another_ruby_uses_the_remaining_variant
    lock = lock_for_another_ruby { add("skin", abi: nil, platform: "ruby", says: "ruby") }
    _, mine = assert_same("skin", lockfile: lock)

    assert_equal %w[skin-1.0], children("#{mine.bundle_root}/gems")
  end

  def test_another_ruby_without_another_variant
    _, mine = assert_same("skin", lockfile: lock_for_another_ruby)

    assert_equal ["skin-1.0-#{@here.address}"], children("#{mine.bundle_root}/gems")
    assert_includes lockfile(mine), @here.address
  end

  def test_another_ruby_and_a_frozen_bundle
    lock = lock_for_another_ruby { add("skin", abi: nil, platform: "ruby", says: "ruby") }
    app = application("spate", "skin", lockfile: lock)
    theirs = application("bundler", "skin", lockfile: lock)

    assert_equal 5, theirs.run("bundle", "install", BUNDLE_FROZEN: "true").last.exitstatus
    assert_fails(app, 15, "skin-1.0-#{@other.address} requires Ruby ~> #{OTHER}.0, this is Ruby", BUNDLE_FROZEN: "true")
    assert_empty children("#{app.bundle_root}/gems")
  end

  RUBY_ONLY = <<~LOCK
    GEM
      remote: %s
      specs:
        skin (1.0)

    PLATFORMS
      ruby

    DEPENDENCIES
      skin
  LOCK

  def test_a_lockfile_for_ruby_alone
    add("skin", abi: OTHER)
    add("skin", abi: nil, says: "fat")
    add("skin", abi: nil, platform: "ruby", says: "ruby")
    address = add("skin").address
    _, mine = assert_same("skin", lockfile: RUBY_ONLY % @source.url)

    assert_equal ["skin-1.0-#{address}"], children("#{mine.bundle_root}/gems")
    FileUtils.rm_rf(mine.path("vendor"))
    mine.spate!("install")

    assert_equal ["skin-1.0-#{address}"], children("#{mine.bundle_root}/gems"), "from the cache"
  end

  def test_a_lockfile_for_ruby_alone_and_archives_of_the_application
    entries = [add("skin"), add("skin", abi: OTHER), add("skin", abi: nil, platform: "ruby")]
    _, mine = assert_same("skin", lockfile: RUBY_ONLY % @source.url, BUNDLE_FROZEN: "true") do |*apps|
      apps.each do |app|
        FileUtils.mkdir_p(app.path("vendor/cache"))
        entries.each { |entry| FileUtils.cp(@source.catalog.archive(entry.file), app.path("vendor/cache")) }
      end
    end

    assert_equal ["skin-1.0-#{entries.first.address}"], children("#{mine.bundle_root}/gems")
  end

  # Bundler 4.1 ignores the addresses if RubyGems does not support them.
  def test_an_older_rubygems_takes_the_ordinary_gem
    skip "this RubyGems knows them" if Spate::ContentAddress.known_to?(Gem::VERSION)

    add("skin", abi: nil, says: "fat")
    add("skin")
    lock = lockfile(application("new", "skin")).sub(/^CHECKSUMS.*?\n\n/m, "").gsub(/ sha256=\h+/, "")
    theirs, mine = assert_same("skin", lockfile: lock, written: true, env: AddressingRubygems.bundler_alone)

    assert_includes lock, "CONTENT ADDRESSES"
    assert_equal ["skin-1.0-#{LOCAL}"], children("#{mine.bundle_root}/gems")
    assert_match(/complete/, mine.spate!("check"))
    mine.spate!("edit", "skin")
    write("spate/vendor/bundle/#{Spate::Layout.ruby_scope}/gems/skin-1.0-#{LOCAL}/lib/skin.rb", "")

    assert_match(/^restored: skin-1\.0-#{LOCAL}$/, mine.spate!("restore", "skin"))
    assert_empty Spate::TreeComparison.differences(tree(theirs), tree(mine))
  end

  private

  # The lockfile of a machine with a different Ruby. The block adds more variants.
  def lock_for_another_ruby
    @here = add("skin")
    yield if block_given?
    lock = lockfile(application("there", "skin"))
    @other = add("skin", abi: OTHER)
    lock.gsub(/#{@here.address}\h*/) { |found| @other.sha256[0, found.size] }
  end

  def build(name, more, files)
    files.each { |path, text| write("source/#{path}", text) }
    File.chmod(0o755, "#{folder}/source/exe/#{name}")
    write("source/#{name}.gemspec", <<~RUBY)
      Gem::Specification.new("#{name}", "1.0") do |spec|
        spec.summary = "x"
        spec.authors = ["y"]
        spec.platform = "#{LOCAL}"
        spec.files = #{files.keys.inspect}
        #{more}
      end
    RUBY
    output, status = Open3.capture2e({ "RUBYOPT" => nil, **AddressingRubygems.environment }, "gem", "build",
                                     "--ruby-abi", ABI, "--content-addressable", "#{name}.gemspec",
                                     chdir: "#{folder}/source")
    assert_predicate status, :success?, output
    Dir.glob("#{folder}/source/*.gem").first
  end

  def restart_source
    folder = @source.catalog.folder
    FileUtils.cp_r(folder, "#{self.folder}/gems")
    @source.stop
    @source = GemSource.start(folder: "#{self.folder}/gems")
  end

  # Leaves out debug information, which would contain the path of the build.
  def no_debug(app)
    app.bundle("config", "set", "--local", "build.skin", "--with-cflags=-g0")
  end

  def without_messages(text) = text.lines.grep_v(/error_highlight|did_you_mean|syntax_suggest/).join
end
