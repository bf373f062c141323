# frozen_string_literal: true

require_relative "stale_case"

# After a change of a variable, an option or the working folder, the front end may run `spate install` itself only if
# the Ruby launcher has the same result.
class StaleEnvironmentTest < StaleCase
  BUNDLER = %w[ALLOW_OFFLINE_INSTALL APP_CONFIG BIN CACHE_ALL CACHE_PATH CLEAN DEPLOYMENT DISABLE_SHARED_GEMS
               FORCE_RUBY_PLATFORM FROZEN GEMFILE IGNORE_CONFIG IGNORE_FUNDING_REQUESTS JOBS LOCAL__TOOL LOCKFILE
               MIRROR__ALL NO_INSTALL NO_PRUNE ONLY PATH PATH__SYSTEM PREFER_LOCAL RETRY RUBY SHEBANG SYSTEM_BINDIR
               TOOL TRUST__POLICY USER_CACHE USER_CONFIG USER_HOME USER_PLUGIN VERSION WITH WITHOUT
               BUILD__BASE].map { |name| "BUNDLE_#{name}" }.freeze
  SPATE = %w[HOME FRONT BOOT BOOT_BACKGROUND LEAN LINK STORE TEAM OFFLINE TRACE NO_OWN_CODE CHECKS NODE_MODULES IN_PLACE
             GEMFILE_CHECK].map { |name| "SPATE_#{name}" }.freeze
  RUBY = %w[RUBYOPT RUBYLIB RUBYPATH RUBYSHELL RUBY_BOX RUBY_DEBUG RUBY_GC_HEAP_GROWTH_FACTOR RUBY_YJIT_ENABLE
            RUBYGEMS_GEMDEPS RUBYGEMS_PREVENT_UPDATE_SUGGESTION GEM_HOME GEM_PATH GEM_SPEC_CACHE GEM_SKIP GEMRC
            BUNDLER_VERSION BUNDLER_SETUP BUNDLER_ORIG_PATH BUNDLE_BIN_PATH].freeze
  SYSTEM = %w[HOME PATH USER LOGNAME SHELL TMPDIR TZ LANG LC_ALL LC_CTYPE CI GITHUB_ACTIONS LD_PRELOAD LD_LIBRARY_PATH
              XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR GIT_DIR GIT_CONFIG_GLOBAL
              http_proxy HTTPS_PROXY no_proxy SSL_CERT_FILE SOURCE_DATE_EPOCH MALLOC_ARENA_MAX CC CFLAGS MAKEFLAGS
              UNKNOWN A _X TERMINAL SSH XDG_SESSION LS_COLORSX].freeze
  VALUES = ["", "0", "1", "x", "/nonexistent"].freeze
  # Variables for which one value is tested, because all values have the same effect.
  ONE = %w[LD_PRELOAD].freeze

  # For each of these there is another record, or none.
  PLACES = [{ words: %w[install --gemfile Gemfile] }, { words: %w[install --gemfile=./Gemfile] }, { dir: "config" },
            { dir: "vendor/bundle" }, { env: { "BUNDLE_GEMFILE" => "Gemfile" } }].freeze

  def prepare = FileUtils.mkdir_p(path("config"))

  def test_variables
    [*BUNDLER, *SPATE, *RUBY, *SYSTEM].each do |name|
      values = ONE.include?(name) ? VALUES.first(1) : VALUES
      [*values, *([nil] if environment[name] || ENV[name])].each do |value|
        next if value == environment.fetch(name) { ENV.fetch(name, nil) }

        vary("#{name}=#{value.inspect}", env: { name => value })
      end
    end
    assert answered?
  end

  def test_places
    PLACES.each do |options|
      options = options.merge(dir: path(options[:dir])) if options[:dir]
      vary(options.inspect, **options)
    end
    assert answered?
  end

  # Spate ignores variables of terminals, but a Gemfile may read them.
  TERMINAL = %w[TERM TERM_PROGRAM COLORTERM COLUMNS LINES LS_COLORS PWD OLDPWD SHLVL _ WINDOWID TMUX STY GPG_TTY SSH_TTY
                SSH_CONNECTION XDG_SESSION_ID NO_COLOR].freeze

  def test_variables_of_terminals
    TERMINAL.product(["", "/x"]) { |name, value| vary("#{name}=#{value.inspect}", env: { name => value }) }
    assert answered?(env: TERMINAL.to_h { |name| [name, "other"] }), "none of them counts"
  end

  def test_variables_of_terminals_that_the_gemfile_reads
    names = TERMINAL.inspect
    [%w[install], %w[check --json]].each do |words|
      File.write(path("Gemfile"), gemfile("gem 'more' if #{names}.any? { |name| ENV[name] == 'other' }\n"))
      learn(*words)
      TERMINAL.each { |name| vary(name, words: words, env: { name => "other" }) }
      assert answered?(*words)
    end
  end

  # Options that a Gemfile can see.
  OPTIONS = { "Bundler.settings[:frozen]" => %w[--frozen], "Bundler.settings[:jobs].to_s == '7'" => %w[--jobs 7],
              "ENV['BUNDLE_RETRY'] == '7'" => %w[--retry 7] }.freeze

  def test_options_that_the_gemfile_reads
    OPTIONS.each do |condition, words|
      File.write(path("Gemfile"), gemfile("gem 'more' if #{condition}\n"))
      learn
      vary(condition, words: ["install", *words])
    end
  end
end
