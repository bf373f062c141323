# frozen_string_literal: true

require "install/team/team_case"
require "support/ci/held_uploads"
require "support/ci/machine"
require "support/server_program"

# Tests the recipes of docs/team-cache-ci.md on simulated machines that have only what the recipe and its service
# provide. The cache is `spate serve --cache`. An extension's constant is the time of its build, so two machines with
# the same value have shared a build.
class CiCase < TeamCase
  PAGE = File.read(File.expand_path("../../../docs/team-cache-ci.md", __dir__), encoding: "UTF-8")
  # Values in the page that a reader replaces.
  ADDRESS = "https://cache.acme.test/spate"
  PUBLIC = "ci:q8nUFhgZ4iJ...="
  LOGIN = "BUNDLE_CACHE__ACME__TEST"
  HOST = "127.0.0.1"
  WRITER = "ci:of-those-who-write"
  # The application's tests, as named in the recipes.
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

  # Starts the cache's server. open: whether every client may write.
  def node(open: false)
    @node&.stop
    port = ServerProgram.free_port
    write("writers", WRITER.split(":").last)
    rights = open ? ["--cache-open"] : ["--cache-write-token", "#{folder}/writers"]
    @node = ServerProgram.new(RbConfig.ruby, "#{CI::Machine::ROOT}/exe/spate", "serve", "--cache", @cache, "--port",
                              port.to_s, *rights, port: port, log: "#{folder}/node.log")
    @address = "#{@node.url}/spate"
  end

  # The page's code blocks in a language, with the reader's values.
  def recipes(language)
    PAGE.scan(/^```#{language}\n(.*?)^```$/m).flatten.map do |text|
      text.gsub(ADDRESS, @address).gsub(PUBLIC, @trusted).gsub(LOGIN, Spate::Settings::Key.for(HOST))
    end
  end

  # A machine for a job. The same name has the same paths. Of an earlier job only the bundle is left, if @kept_bundle.
  # env: variables of its image.
  def fresh(name, **env)
    kept = "#{folder}/jobs/#{name}"
    FileUtils.mv("#{kept}/checkout/vendor", "#{folder}/kept") if @kept_bundle
    FileUtils.rm_rf(kept)
    CI::Machine.new(kept, programs: @programs, env: env.transform_keys(&:to_s)).tap do |machine|
      FileUtils.mv("#{folder}/kept", "#{machine.work}/vendor") if @kept_bundle
    end
  end

  # The build times of alpha and beta, which the tests of a job print.
  def built(job)
    raise job if job.is_a?(Exception)

    JSON.parse(job.said[/^built (\[.*\])$/, 1] || flunk("no tests: #{job.said}"))
  end

  # { path => inode } of the archives and builds in the cache.
  def sent
    all = Dir.glob("#{@cache}/{ac,cas}/**/*").select { |path| File.file?(path) }
    all.reject { |path| File.binread(path).include?("\nkind check\n") }.to_h { |path| [path, File.stat(path).ino] }
  end
end
