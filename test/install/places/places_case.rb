# frozen_string_literal: true

require "json"
require "install/install_case"

# Projects that install into a shared folder or into separate ones, and edits of gems there.
class PlacesCase < InstallCase
  # RubyGems loads this file as the distribution's defaults. It makes Ruby's own gem folder one that a test may change.
  DEFAULT = <<~'RUBY'
    files = $LOAD_PATH.map { |path| "#{path}/rubygems/defaults/operating_system.rb" } - [__FILE__]
    files.find { |path| File.file?(path) }&.then { |path| load(path) }
    def Gem.default_dir = %s
  RUBY
  OWN = { BUNDLE_PATH: nil, BUNDLE_PATH__SYSTEM: "true" }.freeze

  def teardown
    FileUtils.rm_rf(Array(@elsewhere))
    super
  end

  private

  # The environment of a project whose gems are at this kind of location. number: the project's number.
  def environment(place, number)
    case place
    when :default then { **OWN, RUBYLIB: defaults }
    when :gem_home then { **OWN, GEM_HOME: "#{folder}/gems" }
    when :vendor then { BUNDLE_PATH: "vendor/bundle" }
    when :shared then { BUNDLE_PATH: "#{folder}/bundle" }
    when :copies then { BUNDLE_PATH: "#{folder}/bundle", SPATE_COPY: "1" }
    when :some_copies then { BUNDLE_PATH: "#{folder}/bundle", SPATE_COPY: ("1" if number.even?) }
    when :other_disk then { BUNDLE_PATH: "#{other_disk}/bundle" }
    end
  end

  def defaults
    write("defaults/rubygems/defaults/operating_system.rb", format(DEFAULT, "#{folder}/default".dump))
    "#{folder}/defaults"
  end

  def other_disk
    @other_disk ||= begin
      disk = File.directory?("/dev/shm") && File.writable?("/dev/shm") ? "/dev/shm" : skip("there is no /dev/shm")
      skip "/dev/shm is the file system of the tests" if File.stat(disk).dev == File.stat(folder).dev

      Dir.mktmpdir("spate-test-", disk).tap { |path| (@elsewhere ||= []) << path }
    end
  end

  # The folder that contains gems/ at this kind of location; nil for :vendor, where each project has its own.
  def root(place)
    case place
    when :default then "#{folder}/default"
    when :gem_home then "#{folder}/gems"
    when :vendor then nil
    else "#{place == :other_disk ? other_disk : folder}/bundle/#{Spate::Layout.ruby_scope}"
    end
  end

  def gem_root(project, place) = "#{root(place) || project.bundle_root}/gems"

  # Checksums for the lockfile, as Bundler 2.6 and later write them, so that the store caches no names.
  def sums(gems)
    entries = @source.catalog.entries.select { |entry| gems.include?(entry.name) }
    entries.to_h { |entry| ["#{entry.name}-#{entry.number}", entry.sha256] }
  end

  # {event => [facts]} of a command that prints JSON.
  def events(project, *command, status: [0])
    output, result = project.spate(*command, "--json")
    assert_includes status, result.exitstatus, output
    found = output.lines.grep(/\A\{/).map { |line| JSON.parse(line, symbolize_names: true) }
    found.group_by { |event| event[:event].to_sym }
  end

  # { path below gems/ => [content, mode] } of all gems in a folder, or of some.
  def contents(folder, gems = Dir.children(folder))
    gems.flat_map { |gem| Dir.glob("#{gem}/**/*", base: folder) }.sort.filter_map do |path|
      file = "#{folder}/#{path}"
      [path, [File.read(file), File.stat(file).mode & 0o777]] if File.file?(file)
    end.to_h
  end
end
