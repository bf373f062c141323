# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems"
require "uri"

# Rules for all tracked files.
class TreeTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)

  def tracked
    @tracked ||= begin
      list, status = Open3.capture2("git", "ls-files", "-z", chdir: ROOT, err: File::NULL)
      skip "not a git checkout: which files are tracked cannot be told" unless status.success?

      list.split("\0").map { |name| File.join(ROOT, name) }.select { |path| File.file?(path) }
    end
  end

  def offenders(pattern)
    tracked.flat_map do |path|
      File.binread(path).each_line.with_index(1).filter_map do |line, number|
        "#{path.delete_prefix("#{ROOT}/")}:#{number}" if line.match?(pattern)
      end
    end
  end

  # RubyGems' configuration determines the address of the source. An address in a file would be wrong on other machines.
  def test_no_file_contains_a_registry_address
    hosts = Gem.sources.to_a.filter_map { |source| URI(source.to_s).host }
    hosts.reject! { |host| host.match?(/\Alocalhost|\A127\./) }
    hosts << %w[rubygems org].join(".") << %w[registry npmjs org].join(".")

    assert_empty offenders(/(?<![\w.-])(?:#{hosts.uniq.map { |host| Regexp.escape(host) }.join("|")})/n)
  end

  def test_no_file_contains_a_path_of_this_machine
    names = [ROOT, Dir.home].reject { |path| path.count("/") < 2 }.map { |path| Regexp.escape(path) }
    names << "/home/(?!me\\b|user\\b|app\\b)[a-z]+/" << "/Users/[a-z]+/"

    assert_empty offenders(/(?<![\w.}])(?:#{names.join("|")})/n)
  end

  # Each developer's lockfile depends on their gem source. (Lockfiles with other names are fixtures.)
  def test_no_lockfile_is_tracked
    assert_empty(tracked.select { |path| %w[Gemfile.lock gems.locked].include?(File.basename(path)) })
  end

  def test_each_library_file_freezes_its_strings
    library = tracked.select { |path| path.start_with?("#{ROOT}/lib/") && path.end_with?(".rb") }

    assert_empty(library.reject { |path| File.binread(path).start_with?("# frozen_string_literal: true") })
  end

  def test_every_script_can_be_run
    scripts = tracked.select { |path| File.binread(path, 2) == "#!" }

    refute_empty scripts
    assert_empty(scripts.reject { |path| File.executable?(path) })
  end
end
