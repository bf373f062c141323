# frozen_string_literal: true

require "install/install_case"

# Two projects of one user with one store. Settings, environment and files of the first must not affect the second. Each
# row of the table in docs/security-reviews.md has a test here.
class NeighboursTest < InstallCase
  SECRET = "s3cret"
  USER = "me:#{SECRET}".freeze

  # mine: environment of the first project only; spelled: the source in its Gemfile. around: environment of both.
  # theirs: how the second project fails, exit code and words; nil if it installs the gem from its own source.
  Row = Struct.new(:source, :mine, :theirs, :around, :spelled, keyword_init: true)

  # Settings that determine which host or proxy responds.
  ANSWERS = {
    "mirror.all" => ->(t) { t.mirrored("ALL") },
    "mirror.URI" => ->(t) { t.mirrored(t.honest.url) },
    "mirror.HOST" => ->(t) { t.mirrored("LOCALHOST") },
    "mirror.all.fallback_timeout" => lambda do |t|
      t.mirrored("ALL").tap { |row| row.mine["BUNDLE_MIRROR__ALL__FALLBACK_TIMEOUT"] = "5" }
    end,
    "a mirror for two sources" => lambda do |t|
      Row.new(source: t.honest.url, mine: { "BUNDLE_MIRROR__ALL" => t.tampered.url },
              around: { "BUNDLE_MIRROR__HTTP://ELSEWHERE__TEST/" => t.tampered.url })
    end,
    "http_proxy" => ->(t) { Row.new(source: t.honest.url, mine: { "http_proxy" => t.proxy }) },
    "HTTP_PROXY" => ->(t) { Row.new(source: t.honest.url, mine: { "HTTP_PROXY" => t.proxy }) },
    "no_proxy" => lambda do |t|
      Row.new(source: t.tampered.url, mine: { "no_proxy" => "localhost" },
              around: { "http_proxy" => t.proxy(t.honest) })
    end,
    "http_proxy in a gemrc" => lambda do |t|
      Row.new(source: t.honest.url, mine: { "GEMRC" => t.write("gemrc", "http_proxy: #{t.proxy}\n") })
    end
  }.freeze

  # Settings that determine how a response is checked.
  CHECKS = {
    "disable_checksum_validation" => lambda do |t|
      t.honest.fault(%r{/info/pkg}, :garble, body: "---\n1.0 |checksum:#{"0" * 64}\n")
      Row.new(source: t.honest.url, mine: { "BUNDLE_DISABLE_CHECKSUM_VALIDATION" => "true" }, theirs: [7, "0" * 64])
    end,
    "ssl_verify_mode" => ->(t) { t.secured("BUNDLE_SSL_VERIFY_MODE" => "0") },
    "ssl_verify_mode in a gemrc" => lambda do |t|
      t.secured("GEMRC" => t.write("gemrc", ":ssl_verify_mode: 0\n"))
    end,
    "ssl_ca_cert" => ->(t) { t.secured("BUNDLE_SSL_CA_CERT" => t.authority.ca_file) },
    "SSL_CERT_FILE" => ->(t) { t.secured("SSL_CERT_FILE" => t.authority.ca_file) },
    "ssl_client_cert" => lambda do |t|
      Row.new(source: t.serve(tls: t.authority, client_certificate: true).url, theirs: [6],
              mine: { "BUNDLE_SSL_CLIENT_CERT" => t.authority.client_file },
              around: { "BUNDLE_SSL_CA_CERT" => t.authority.ca_file })
    end
  }.freeze

  # Settings with the credentials of a request.
  CREDENTIALS = {
    "HOST" => ->(t) { t.guarded("BUNDLE_LOCALHOST" => USER) },
    "URI" => ->(t) { t.guarded { |url| { "BUNDLE_#{url.upcase}" => USER } } },
    "netrc" => lambda do |t|
      t.guarded("NETRC" => t.write("netrc", "machine localhost login me password #{SECRET}\n", mode: 0o600))
    end,
    "a Gemfile's address" => ->(t) { t.guarded.tap { |row| row.spelled = row.source.sub("://", "://#{USER}@") } },
    "a Gemfile's address, out of the environment" => lambda do |t|
      t.guarded("WHO" => USER).tap { |row| row.spelled = row.source.sub("://", "://\#{ENV['WHO']}@") }
    end,
    "a mirror's address" => lambda do |t|
      url = t.serve(userinfo: USER).url
      Row.new(source: t.serve.url, mine: { "BUNDLE_MIRROR__ALL" => url.sub("://", "://#{USER}@") },
              around: { "BUNDLE_MIRROR__ALL" => url }, theirs: [6, "401"])
    end,
    "other credentials" => lambda do |t|
      t.guarded("BUNDLE_LOCALHOST" => USER).tap { |row| row.around = { "BUNDLE_LOCALHOST" => "me:wrong" } }
    end
  }.freeze

  { answers: ANSWERS, checks: CHECKS, credentials: CREDENTIALS }.each do |kind, rows|
    rows.each do |name, row|
      define_method("test_#{kind}_of_one_project: #{name}") { assert_apart(row.call(self)) }
    end
  end

  # Like a checksum, a revision identifies its content, so another project gets it from the store. The password must not
  # be stored.
  def test_address_of_a_git_source
    first = git_project("first", "http://#{USER}@")
    told = first.spate!("install") + first.spate!("install", "--json", "--verbose")
    assert_equal "1.5", first.bundle("exec", "ruby", "-e", "require 'own/version'; print Own::VERSION")
    assert_no_secret(told)
    told << first.spate!("boot", "build") << first.spate!("exec", "ruby", "-e", "p 1")
    assert_no_secret(told)
    second = git_project("second", "http://")
    @site.stop
    told = assert_installs(second)
    assert_no_secret(told)
  end

  def test_a_git_source_that_refuses
    project = git_project("first", "http://me:#{SECRET}x@")
    output, status = project.spate("install")

    assert_equal 13, status.exitstatus
    assert_no_secret(output)
  end

  # The store caches a source's variants for lockfiles that have none.
  def test_variants_of_a_mirror
    tampered.add("pkg", "1.0", platform: Gem::Platform.local.to_s, files: { "lib/pkg.rb" => "PKG = :variant\n" })
    honest
    first, second = [{ "BUNDLE_MIRROR__ALL" => tampered.url }, {}].map.with_index do |env, number|
      app("app#{number}", gems: %w[pkg], **env).tap do |project|
        path = project.path("Gemfile.lock")
        File.write(path, File.read(path).sub(/(PLATFORMS\n).*\n/, "\\1  ruby\n"))
      end
    end
    assert_installs(first, "pkg-1.0-#{Gem::Platform.local}")
    assert_honest(second)
  end

  # A source may respond differently to each program.
  def test_user_agent_of_another_project
    assert_installs(app("first", gems: %w[pkg], source: honest.url, BUNDLE_USER_AGENT: "farm"), "pkg-1.0")
    honest.forget_requests
    assert_installs(app("second", gems: %w[pkg]), "pkg-1.0")

    assert_equal [["/versions", nil], ["/info/pkg", nil]],
                 honest.requests.map { |asked| [asked.path, asked.headers["if-none-match"]] }
  end

  def test_the_platform_that_one_project_forces
    honest
    @source.add("pkg", "1.0", platform: Gem::Platform.local.to_s, files: { "lib/pkg.rb" => "PKG = :local\n" })
    found = ["true", nil].map.with_index do |value, number|
      project = app("app#{number}", gems: %w[pkg], BUNDLE_FORCE_RUBY_PLATFORM: value)
      path = project.path("Gemfile.lock")
      both = "    pkg (1.0)\n    pkg (1.0-#{Gem::Platform.local})\n"
      File.write(path, File.read(path).sub(/^    pkg.*\n/, both).sub("PLATFORMS\n", "PLATFORMS\n  ruby\n"))
      assert_installs(project)
      project.bundle("exec", "ruby", "-e", "require 'pkg'; print PKG")
    end
    assert_equal %w[honest local], found
  end

  # If Bundler itself installs, it neither reads nor writes Spate's store.
  def test_installs_by_bundler
    honest
    { BUNDLE_CACHE_ALL_PLATFORMS: "true", BUNDLE_TRUST___POLICY: "NoSecurity" }.each do |name, value|
      project = app(name.to_s, gems: %w[pkg], name => value)
      assert_match(/^installed by Bundler/, project.spate!("install"))
      assert_empty Dir.glob("#{folder}/home/spate/{store/v1/{names,packages,archives}/*,index/*}")
    end
  end

  def test_arguments_of_a_build
    @source.add("native", "1.0", native: true, files: { "lib/native.rb" => "", "ext/native/extconf.rb" => <<~RUBY })
      File.write("Makefile", "all:\\ninstall:\\nclean:\\n")
      File.write("arguments.txt", ARGV.join(" "))
    RUBY
    projects = [{ "BUNDLE_BUILD__NATIVE" => "--with-mine" }, {}].map.with_index do |env, number|
      app("app#{number}", gems: %w[native], **env).tap { |project| assert_installs(project, "native-1.0") }
    end
    found = projects.map { |project| File.read("#{project.bundle_root}/gems/native-1.0/ext/native/arguments.txt") }
    assert_equal ["--with-mine", ""], found
  end

  def teardown
    Array(@others).each(&:stop)
    super
  end

  # Helpers that the lambdas of the rows call.

  def honest = @source.tap { @honest ||= fill(@source, "honest") }
  def tampered = @tampered ||= fill(other(GemSource.start), "tampered")
  def authority = @authority ||= GemSource::Authority.new(folder)
  def serve(**options) = fill(other(GemSource.start(**options)), "honest")
  def proxy(to = tampered) = other(GemSource::Proxy.new(hosts: { "localhost" => to.port }).start).url

  def mirrored(what)
    Row.new(source: honest.url, mine: { "BUNDLE_MIRROR__#{what.upcase.gsub(".", "__")}" => tampered.url })
  end

  def secured(mine) = Row.new(source: serve(tls: authority).url, mine: mine, theirs: [6, "certificate"])

  def guarded(mine = {})
    url = serve(userinfo: USER).url
    Row.new(source: url, mine: block_given? ? yield(url) : mine, theirs: [6, "401"])
  end

  private

  def other(server) = server.tap { (@others ||= []) << server }

  def fill(source, text)
    source.add("pkg", "1.0", files: { "lib/pkg.rb" => "PKG = :#{text}\n" })
    source
  end

  def assert_apart(row)
    honest
    first = project("first", row, row.mine, row.spelled)
    told = assert_installs(first, "pkg-1.0") + first.spate!("install", "--json") + first.spate!("list", "--json")
    second = project("second", row, {}, nil)
    row.theirs ? told << assert_fails(second, *row.theirs) : assert_honest(second)
    assert_no_secret(told)
  end

  def project(name, row, env, spelled)
    app(name, gems: %w[pkg], source: row.source, BUNDLE_RETRY: "0", **(row.around || {}), **env).tap do |project|
      File.write(project.path("Gemfile"), "source \"#{spelled}\"\ngem 'pkg'\n") if spelled
    end
  end

  def assert_honest(project)
    assert_installs(project, "pkg-1.0")
    assert_equal "PKG = :honest\n", File.read("#{project.bundle_root}/gems/pkg-1.0/lib/pkg.rb")
  end

  # An application with a gem from a repository with a password. The lockfile contains the same address as the Gemfile.
  def git_project(name, scheme)
    @site ||= other(GemSource::Site.new(repository, userinfo: USER).start)
    uri = "#{scheme}localhost:#{@site.port}/own.git"
    app(name, gems: []).tap do |project|
      File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'own', git: '#{uri}', branch: 'main'\n")
      File.write(project.path("Gemfile.lock"), <<~LOCK)
        GIT
          remote: #{uri}
          revision: #{@revision}
          branch: main
          specs:
            own (1.5)

        GEM
          remote: #{@source.url}
          specs:

        PLATFORMS
          #{Gem::Platform.local}

        DEPENDENCIES
          own!
      LOCK
    end
  end

  # A folder with the bare repository own.git, for a web server.
  def repository
    work = GemSource::Repository.new("#{folder}/work")
    @revision = work.commit(GemSource::Repository.gem_files("own", "1.5"))
    work.git("clone", "--quiet", "--bare", work.folder, "#{folder}/site/own.git")
    # Packs everything into one file, because git 2.55 requests several files concurrently without the password.
    work.git("-C", "#{folder}/site/own.git", "repack", "-adq")
    work.git("-C", "#{folder}/site/own.git", "update-server-info")
    "#{folder}/site"
  end

  # Asserts that neither the files nor the output contain the password.
  def assert_no_secret(told, place = "home/spate", *below)
    files = Dir.glob(File.join(folder, place, *below, "**/*"), File::FNM_DOTMATCH).select { |path| File.file?(path) }
    assert_empty files.select { |path| File.binread(path).include?(SECRET) || path.include?(SECRET) }
    refute_includes told, SECRET
  end
end
