# frozen_string_literal: true

require "support/peers"
require "support/boot_gemfile"
require "support/apps"

module Benchmark
  # One application to boot. It is created once in the benchmark's folder and installed there by Spate, with a separate
  # HOME and store. "large" and "small" are generated Rails applications. Any other name is a folder in SPATE_TEST_APPS,
  # whose bundle is loaded by Bundler.require. All of them load the newest Bundler for this Ruby, not the one that came
  # with Ruby.
  #
  # layout: where the gems are, "vendor" (vendor/bundle) or "gem_home" (a separate GEM_HOME, as in most containers).
  class BootApp
    WORK = File.join(Peers::WORK, "boot")
    GENERATED = { "large" => :large, "small" => :small }.freeze
    SKIPPED = %w[bundle git docker test bootsnap brakeman ci rubocop decrypted-diffs kamal solid dev-gems].freeze
    ENVIRONMENT = { "SECRET_KEY_BASE" => "0" * 64, "DISABLE_SPRING" => "1", "RAILS_LOG_TO_STDOUT" => nil,
                    "BOOT_WITH" => nil }.freeze

    # The first lines of the application. BOOT_WITH selects the lines that a user of each accelerator would add.
    BOOT = <<~RUBY
      ENV["BUNDLE_GEMFILE"] ||= File.expand_path("../Gemfile", __dir__)

      require ENV["SPATE_BOOT_FILE"] if ENV["BOOT_WITH"] == "spate/boot"
      require "bundler/setup"
      if ENV["BOOT_WITH"] == "bootsnap"
        $LOAD_PATH.unshift(*ENV["BOOTSNAP_LIB"].split(":"))
        # bootsnap activates the gem msgpack, which Bundler would refuse because msgpack is not in the bundle.
        module Bootsnap; module ExplicitRequire; def self.gem(*) = true; end; end
        require "bootsnap/setup"
      end
    RUBY
    DATABASES = %w[development test production].map do |mode|
      "#{mode}:\n  adapter: sqlite3\n  database: db/#{mode}.sqlite3\n"
    end.join
    # Fourteen migrated tables with five columns each, with controllers, views, helpers and routes.
    SCAFFOLDS = %w[account article author category comment customer event invoice message order payment product review
                   ticket].freeze
    SCAFFOLD = <<~RUBY.freeze
      require "rails/generators"
      Rails.application.load_generators
      %w[#{SCAFFOLDS.join(" ")}].each_with_index do |name, number|
        version = 20_240_101_000_000 + number
        ActiveRecord::Generators::Base.define_singleton_method(:next_migration_number) { |*| version.to_s }
        columns = %w[name:string note:text count:integer active:boolean due:date]
        Rails::Generators.invoke("scaffold", [name, *columns, "--quiet", "--force"], behavior: :invoke)
      end
    RUBY

    LAYOUTS = %w[vendor gem_home].freeze

    attr_reader :name, :folder, :home, :layout

    def initialize(name, work: WORK, layout: "vendor")
      @name = name
      @layout = layout
      @folder = File.join(work, [name, RUBY_VERSION[/\A\d+\.\d+/], *(layout unless layout == "vendor")].join("-"))
      @home = "#{@folder}-home"
    end

    # The name in tables.
    def title = layout == "vendor" ? name : "#{name}, GEM_HOME"

    def generated? = GENERATED.key?(name)
    def available? = generated? || Spate::TestApps.available?(name)

    # Returns self. If a step fails, raises an error with its output. The next call does not repeat a successful
    # install.
    def prepare
      return self if File.exist?("#{folder}/.made")

      install unless File.exist?("#{folder}/.installed")
      generate if generated?
      FileUtils.touch("#{folder}/.made")
      self
    end

    # The environment of the application's processes. more: {"NAME" => "value" or nil}.
    def env(more = {})
      Peers.clean_env(home).merge(ENVIRONMENT, gem_folders, "BUNDLE_FROZEN" => nil, "CI" => nil, **more)
    end

    # Runs a command and returns its output.
    def run(command, more = {})
      output, status = Open3.capture2e(env(more), *command, chdir: folder, stdin_data: "")
      raise "#{command.join(" ")} failed in #{folder} (#{status}):\n#{output}" unless status.success?

      output
    end

    # The command that boots the application without an accelerator, then runs `code` in it.
    def command(code)
      generated? ? ["bin/rails", "runner", code] : ["ruby", "-e", "#{loading}#{code}"]
    end

    def gems = Dir.children("#{bundle_root}/specifications").length
    def bundle_root = layout == "gem_home" ? gem_home : Dir.glob("#{folder}/vendor/bundle/ruby/*").first

    private

    def gem_home = "#{home}/gems"

    # The folders from which RubyGems loads the Bundler version in the lockfile (see #name_bundler).
    def gem_folders
      newest = NewestBundler.environment.fetch("GEM_PATH")
      return { "GEM_PATH" => newest } if layout == "vendor"

      { "BUNDLE_PATH" => nil, "BUNDLE_PATH__SYSTEM" => "true", "GEM_HOME" => gem_home,
        "GEM_PATH" => "#{gem_home}:#{newest}" }
    end

    # Loads Rails first, like config/application.rb, because some gems use parts of Rails while they load.
    def loading
      "#{BOOT.lines.drop(1).join}require \"rails/all\"\nBundler.require\n"
    end

    def install
      FileUtils.rm_rf([folder, home])
      FileUtils.mkdir_p([folder, home])
      if generated?
        File.write("#{folder}/Gemfile", BootGemfile.public_send(GENERATED[name]))
        run(Peers.bundler_command("lock"), "BUNDLE_PATH" => nil)
      else
        Spate::TestApps.copy(name, folder)
        name_bundler
      end
      run([Peers.launcher, "install", "--quiet"])
      FileUtils.touch("#{folder}/.installed")
    end

    def name_bundler
      path = "#{folder}/Gemfile.lock"
      File.write(path, "#{File.read(path).sub(/\n+BUNDLED WITH\n.*\z/m, "\n")}\nBUNDLED WITH\n   #{Peers.bundler}\n")
    end

    def generate
      skips = SKIPPED.map { |part| "--skip-#{part}" }
      skips << "--minimal" if name == "small"
      options = ["--name", "boot_app", "--skip", "--force=false", "--quiet", *skips]
      run(["bundle", "exec", "rails", "new", ".", *options]) unless File.exist?("#{folder}/bin/rails")
      write_boot
      populate if name == "large"
    end

    def write_boot
      File.write("#{folder}/config/boot.rb", BOOT)
      # Sprockets requires this file, but Rails 8 does not create it.
      FileUtils.mkdir_p("#{folder}/app/assets/config")
      FileUtils.touch("#{folder}/app/assets/config/manifest.js")
      File.write("#{folder}/config/database.yml", DATABASES) if name == "large"
    end

    def populate
      run(%w[ruby bin/rails runner] + [SCAFFOLD])
      %w[development production].each { |mode| run(%w[ruby bin/rails db:migrate], "RAILS_ENV" => mode) }
    end
  end
end
