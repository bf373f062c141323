# frozen_string_literal: true

require "install/install_case"
require "open3"

# Limits the number of files that process one gem on its way from the lockfile to the link: see docs/install.md.
class WayOfAGemTest < InstallCase
  LIBRARY = File.expand_path("../../lib", __dir__)
  # Files that process the gem, and all files that run in an install. Lower these numbers when you can.
  WAY = 40
  ALL = 78

  # Prints the files whose methods are called, in any thread. "+" means that the receiver or an argument contains the
  # gem's name, "waymark".
  SCRIPT = <<~'RUBY'
    require "spate"

    def holds?(object, depth)
      case object
      when String then object.include?("waymark")
      when Array, Struct then depth.positive? && object.first(8).any? { |one| holds?(one, depth - 1) }
      when Hash then depth.positive? && holds?(object.first(8).flatten(1), depth)
      else
        depth.positive? && object.class.name.to_s.start_with?("Spate") && !object.is_a?(Module) &&
          object.instance_variables.any? { |name| holds?(object.instance_variable_get(name), depth - 1) }
      end
    end

    def given(point)
      names = point.parameters.filter_map { |_, name| name if name&.match?(/\A\w+\z/) }
      [point.self, *names.map { |name| point.binding.local_variable_get(name) }]
    end

    files = {}
    trace = TracePoint.new(:call) do |point|
      next if Thread.current[:looks] || !point.path.include?("/lib/spate")

      Thread.current[:looks] = true
      files[point.path] ||= given(point).any? { |object| holds?(object, 2) }
      Thread.current[:looks] = false
    end
    location = Spate::Gemfile.find(Dir.pwd, ENV)
    events = Spate::Events.new.subscribe { |event| trace.disable if event[:event] == :linked }
    install = Spate::Install::Installer.new(
      location: location, settings: Spate::Settings.load(root: location.root, env: ENV), events: events,
      store: Spate::Store.open(env: ENV)
    )
    trace.enable
    install.run
    files.each { |path, way| puts "#{"+" if way}#{path[%r{/lib/(spate.*)}, 1]}" }
  RUBY

  # Only the gem's archive is in the store. Everything about the Gemfile and RubyGems is cached.
  def test_from_an_archive
    @source.add("waymark", "1.0", executables: ["waymark"])
    app = app(gems: ["waymark"], checksums: { "waymark-1.0" => @source.catalog.entry("waymark-1.0").sha256 })
    2.times { assert_installs(app) }
    FileUtils.rm_rf([app.bundle_root, *Dir.glob("#{app.home}/spate/store/v1/{packages,objects,bundles}")])
    files = files(app)
    way = files.grep(/^\+/)

    assert_includes 20..WAY, way.size, way.sort.join("\n")
    assert_includes way.size..ALL, files.size, files.sort.join("\n")
  end

  private

  def files(project)
    script = write("way.rb", SCRIPT)
    out, status = Open3.capture2(project.env, "ruby", "--disable-gems", "-I#{LIBRARY}", script, chdir: project.folder)
    assert_predicate status, :success?
    assert_whole(project)
    out.lines(chomp: true)
  end
end
