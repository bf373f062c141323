# frozen_string_literal: true

require "install/install_case"

# A source may publish another archive for an existing version. A later install must get the new one, unless the
# lockfile has a checksum.
class ChecksumLookupTest < InstallCase
  OLD = "PKG = :old\n"
  NEW = "PKG = :new\n"

  def setup
    super
    publish(OLD)
  end

  def test_a_gem_pushed_again
    first = installed("first")
    publish(NEW)

    assert_equal NEW, text(installed("second"))
    assert_equal OLD, text(first), "another project's"
    requests { assert_installs(first) }
    assert_empty @asked, "a bundle that is in place sends no request"
  end

  def test_unchanged_index_costs_one_conditional_request
    installed("first")
    requests { installed("second") }

    assert_equal %w[/versions], @asked.map(&:path)
    assert @asked.first.headers.key?("if-none-match")
  end

  def test_changed_index_costs_one_request_per_page
    @source.add("second", "1.0")
    assert_installs(app("first", gems: %w[pkg second]), "pkg-1.0", "second-1.0")
    @source.add("third", "1.0")
    expected = %w[/info/pkg /info/second /versions]
    2.times do |number|
      requests { assert_installs(app("later#{number}", gems: %w[pkg second]), "pkg-1.0", "second-1.0") }
      assert_equal expected.last(3 - (number * 2)), @asked.map(&:path).sort
    end
  end

  # A stored page must not be validated with an index older than the last one fetched, even if that cannot be stored.
  def test_an_index_that_cannot_be_written
    skip "needs root, for a mount" unless Process.euid.zero?
    @source.add("other", "1.0")
    installed("first")
    requests { installed("second") }
    index = "#{folder}/home/spate/index"
    assert system("mount", "--bind", index, index)
    (@mounts ||= []) << index
    assert system("mount", "-o", "remount,bind,ro", index)
    publish(NEW)

    2.times { |number| assert_equal NEW, text(installed("later#{number}")) }
  end

  # The stored page is older than the index with which it is validated.
  def test_page_older_than_the_index_is_fetched_again
    installed("first")
    page, = Dir.glob("#{folder}/home/spate/index/*/info/pkg")
    seal, = Dir.glob("#{folder}/home/spate/index/*/seal")
    earlier = File.mtime(seal) - 0.001
    File.utime(earlier, earlier, page)
    requests { installed("second") }

    assert_equal %w[/versions /info/pkg], @asked.map(&:path)
  end

  def test_locked_checksum_costs_no_request
    sums = { "pkg-1.0" => @source.catalog.entry("pkg-1.0").sha256 }
    installed("first")
    requests { assert_installs(app("second", gems: %w[pkg], checksums: sums), "pkg-1.0") }

    assert_empty @asked
  end

  def test_all_pages_are_requested_concurrently
    names = Array.new(40) { |number| "many#{number}" }
    names.each { |name| @source.add(name, "1.0", files: { "lib/#{name}.rb" => "" }) }
    slow = other(GemSource.start(folder: @source.catalog.folder, latency_ms: 20))
    slow.fault("/versions", :drop_headers, names: %w[ETag])
    assert_installs(app("first", gems: names, source: slow.url))
    slow.forget_requests
    assert_installs(app("second", gems: names, source: slow.url))

    assert_equal names.map { |name| "/info/#{name}" }.sort, slow.requests.map(&:path).sort - %w[/versions]
    assert_includes 2..32, slow.connections
  end

  def test_refresh_replaces_a_gem_that_was_pushed_again_in_an_existing_bundle
    project = installed("first")
    publish(NEW)
    assert_match(/nothing to do|in place/, run_install(project).first)
    assert_installs(project, "pkg-1.0", options: %w[--refresh])

    assert_equal NEW, text(project)
    requests { assert_installs(project, "pkg-1.0", options: %w[--refresh]) }
    assert_equal %w[/versions /info/pkg], @asked.map(&:path)
    assert_match(/satisfied/, project.bundle("check"))
  end

  def test_refresh_keeps_private_copies
    project = installed("first")
    project.spate!("edit", "pkg")
    publish(NEW)
    assert_installs(project, "pkg-1.0", options: %w[--refresh])

    assert_equal OLD, text(project)
  end

  def test_refresh_and_local_exclude_each_other
    project = installed("first")
    requests { assert_fails(project, 2, "--local", "--refresh", options: %w[--local --refresh]) }
    assert_empty @asked
  end

  # A file is replaced or edited in place, or a file is added.
  def test_refresh_keeps_edited_gems
    works = [["lib/pkg.rb", ->(path) { File.rename(write("mine", "MINE"), path) }],
             ["lib/pkg.rb", ->(path) { File.write(path, "MINE") }],
             ["lib/mine.rb", ->(path) { File.write(path, "MINE") }]]
    works.each_with_index do |(path, work), number|
      publish(OLD)
      project = installed("app#{number}")
      work.call(gem_file(project, path))
      publish(NEW)
      output = assert_installs(project, "pkg-1.0", options: %w[--refresh])
      assert_match(/pkg-1.0 is not replaced .*: locally changed: #{path}$/, output)
      assert_equal "MINE", File.read(gem_file(project, path))
    end
  end

  # Times differ, for example, after the whole folder was copied without them.
  def test_refresh_replaces_files_that_differ_only_in_times
    project = installed("first")
    FileUtils.touch(gem_file(project, "lib/pkg.rb"))
    publish(NEW)
    assert_installs(project, "pkg-1.0", options: %w[--refresh])
    assert_equal NEW, text(project)
  end

  def test_last_answer_is_used_with_a_warning_without_a_network
    installed("first")
    project = app("second", gems: %w[pkg])
    @source.stop
    output = assert_installs(project, "pkg-1.0")

    assert_match(/^warning: .*cannot be reached.*using the cached checksums of its gems\nhint: .*--refresh$/, output)
    assert_equal OLD, text(project)
    @source = GemSource.start
  end

  def test_local_sends_no_request
    installed("first")
    requests { assert_installs(app("second", gems: %w[pkg]), "pkg-1.0", options: %w[--local]) }

    assert_empty @asked
  end

  def test_a_yanked_gem_that_the_store_has
    installed("first")
    project = app("second", gems: %w[pkg])
    @source.yank("pkg-1.0")

    assert_match(/^warning: pkg-1\.0 was not found at .*\nhint: it may have been yanked/,
                 assert_installs(project, "pkg-1.0"))
  end

  def test_source_that_now_refuses_access
    installed("first")
    @source.fault(//, :status, code: 401)

    assert_fails(app("second", gems: %w[pkg]), 6, "401")
  end

  def test_source_that_never_changes_is_queried_once_a_day
    rubygems = { RUBYOPT: "-r#{write("default.rb", <<~RUBY)}" }
      def Gem.default_sources = [#{@source.url.dump}] if defined?(Gem)
    RUBY
    assert_installs(app("first", gems: %w[pkg]), "pkg-1.0", **rubygems)
    requests { assert_installs(app("second", gems: %w[pkg]), "pkg-1.0", **rubygems) }
    assert_empty @asked
    requests { assert_installs(app("third", gems: %w[pkg]), "pkg-1.0", options: %w[--refresh], **rubygems) }
    assert_equal %w[/info/pkg], @asked.map(&:path)

    yesterday = Time.now - 90_000
    kept = Dir.glob("#{folder}/home/spate/{store/v1/names,index}/*/{,*/}pkg*")
    assert_equal 2, kept.size
    kept.each { |path| File.lutime(yesterday, yesterday, path) }
    2.times do |number|
      requests { assert_installs(app("later#{number}", gems: %w[pkg]), "pkg-1.0", **rubygems) }
      assert_equal %w[/info/pkg].first(1 - number), @asked.map(&:path)
    end
  end

  def test_a_source_without_an_index
    @source = other(GemSource.start(compact: false))
    publish(OLD)
    installed("first")
    requests { assert_equal OLD, text(installed("second")) }
    assert_equal [true], @asked.select { |request| request.path.end_with?(".gem") }
                               .map { |request| request.headers.key?("if-none-match") }
    publish(NEW)

    assert_equal NEW, text(installed("third"))
  end

  def test_a_source_in_a_folder
    folder = File.join(self.folder, "source", "gems")
    FileUtils.mkdir_p(folder)
    [OLD, OLD, NEW].each_with_index do |content, number|
      publish(content)
      FileUtils.cp(@source.catalog.archive("pkg-1.0.gem"), folder)
      project = app("app#{number}", gems: %w[pkg], source: "file://#{File.dirname(folder)}/")
      assert_installs(project, "pkg-1.0")
      assert_equal content, text(project)
    end
  end

  def test_archive_of_the_application_takes_precedence_over_one_of_another_project
    installed("first")
    project = app("second", gems: %w[pkg])
    publish(NEW)
    FileUtils.mkdir_p(project.path("vendor/cache"))
    FileUtils.cp(@source.catalog.archive("pkg-1.0.gem"), project.path("vendor/cache"))
    requests { assert_installs(project, "pkg-1.0") }

    assert_equal NEW, text(project)
    assert_empty @asked
  end

  def teardown
    Array(@others).each(&:stop)
    super
  end

  private

  def other(source) = source.tap { (@others ||= []) << source }
  def publish(content) = @source.add("pkg", "1.0", files: { "lib/pkg.rb" => content })
  def installed(name) = app(name, gems: %w[pkg]).tap { |project| assert_installs(project, "pkg-1.0") }
  def gem_file(project, path) = "#{project.bundle_root}/gems/pkg-1.0/#{path}"
  def text(project) = File.read(gem_file(project, "lib/pkg.rb"))

  # The requests to the source during the block.
  def requests
    @source.forget_requests
    yield
    @asked = @source.requests
  end
end
