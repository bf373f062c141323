# frozen_string_literal: true

require "install/team/team_case"
require "support/ci/held_uploads"
require "support/ci/machine"
require "support/server_program"

# The recipes of docs/team-cache-ci.md, on machines that have nothing but what the recipe and its service give them,
# before the cache that `spate serve --cache` is. An extension's constant is the time of its build, so two machines have
# the same one only if one of them took it from the other.
class CiCase < TeamCase
  PAGE = File.read(File.expand_path("../../../docs/team-cache-ci.md", __dir__), encoding: "UTF-8")
  # What a reader puts in place of the page's.
  ADDRESS = "https://cache.acme.test/spate"
  PUBLIC = "ci:q8nUFhgZ4iJ...="
  LOGIN = "BUNDLE_CACHE__ACME__TEST"
  HOST = "127.0.0.1"
  WRITER = "ci:of-those-who-write"
  # What the recipes call the tests of an application.
  TESTS = <<~'RUBY'
    #!/usr/bin/env ruby
    Bundler.require
    puts "built #{%i[ALPHA BETA].select { |name| Object.const_defined?(name) }.map { |name| Object.const_get(name) }}"
  RUBY

  def setup
    super
    %w[alpha beta].each { |name| extension(name, "1.0") }
    @trusted = @key.public_key("ci").to_s
    @programs = CI::Machine.programs("#{folder}/programs")
    @repository = repository("repository", "alpha", "beta")
    node
  end

  def teardown
    @node&.stop
    super
  end

  def extension(name, version)
    native(name, version: version, value: "MADE",
                 extconf: "$CPPFLAGS << ' -DMADE=' << Process.clock_gettime(0, :microsecond).to_s << 'L'")
  end

  def repository(name, *gems)
    path = app(name, gems: gems).folder
    write("#{name}/bin/rails", TESTS, mode: 0o755)
    path
  end

  # open: whoever reaches it may write.
  def node(open: false)
    @node&.stop
    port = ServerProgram.free_port
    write("writers", WRITER.split(":").last)
    rights = open ? ["--cache-open"] : ["--cache-write-token", "#{folder}/writers"]
    @node = ServerProgram.new(RbConfig.ruby, "#{CI::Machine::ROOT}/exe/spate", "serve", "--cache", @cache, "--port",
                              port.to_s, *rights, port: port, log: "#{folder}/node.log")
    @address = "#{@node.url}/spate"
  end

  # The page's blocks in a language, as a reader puts them into files.
  def recipes(language)
    PAGE.scan(/^```#{language}\n(.*?)^```$/m).flatten.map do |text|
      text.gsub(ADDRESS, @address).gsub(PUBLIC, @trusted).gsub(LOGIN, Spate::Settings::Key.for(HOST))
    end
  end

  # A machine for a job, always with the same paths for the same name; of a job before it only the bundle is left, and
  # that if @kept_bundle. env: of its image.
  def fresh(name, **env)
    kept = "#{folder}/jobs/#{name}"
    FileUtils.mv("#{kept}/checkout/vendor", "#{folder}/kept") if @kept_bundle
    FileUtils.rm_rf(kept)
    CI::Machine.new(kept, programs: @programs, env: env.transform_keys(&:to_s)).tap do |machine|
      FileUtils.mv("#{folder}/kept", "#{machine.work}/vendor") if @kept_bundle
    end
  end

  # When alpha and beta were built, as a job's tests said.
  def built(job)
    raise job if job.is_a?(Exception)

    JSON.parse(job.said[/^built (\[.*\])$/, 1] || flunk("no tests: #{job.said}"))
  end

  # What is in the cache of archives and builds, where each file is still the same one.
  def sent
    all = Dir.glob("#{@cache}/{ac,cas}/**/*").select { |path| File.file?(path) }
    all.reject { |path| File.binread(path).include?("\nkind verdict\n") }.to_h { |path| [path, File.stat(path).ino] }
  end
end
