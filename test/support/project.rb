# frozen_string_literal: true

require "fileutils"
require "open3"
require "support/gem_source"
require "support/machine_facts"
require "support/spate_command"

module Spate
  # A test application: a Gemfile, a lockfile written by the real Bundler, a HOME and a store.
  class TestProject
    XDG = %w[CACHE CONFIG DATA STATE].to_h { |kind| ["XDG_#{kind}_HOME", nil] }.freeze

    attr_reader :folder, :home

    # folder: created if it does not exist. gemfile: text. home: projects with the same home share a store. facts:
    # whether an empty store is filled with MachineFacts.
    def initialize(folder, gemfile, home: File.join(File.dirname(folder), "home"), env: {}, facts: true)
      @folder = folder
      @home = home
      @extra = env
      FileUtils.mkdir_p([folder, home])
      File.write(File.join(folder, "Gemfile"), gemfile)
      @extra = { "SPATE_NO_OWN_CODE" => nil }.merge(env) if facts && MachineFacts.copy(self.env)
    end

    # The environment of child processes, without variables of an outer bundle or the user.
    def env
      { "HOME" => home, "BUNDLE_USER_HOME" => "#{home}/.bundle", "SPATE_HOME" => "#{home}/spate",
        "BUNDLE_PATH" => "vendor/bundle", "BUNDLE_GEMFILE" => nil, "RUBYOPT" => nil, "RUBYLIB" => nil,
        "GEM_HOME" => nil, "GEM_PATH" => nil, **XDG, "BUNDLE_VERSION" => "system", "CI" => nil, "BUNDLE_FROZEN" => nil,
        "NO_COLOR" => "1", "SPATE_BOOT_BACKGROUND" => "0" }.merge(@extra)
    end

    # Returns [output of both streams, Process::Status].
    def run(*command, chdir: folder, **extra)
      Open3.capture2e(env.merge(extra.transform_keys(&:to_s)), *command, chdir: chdir, stdin_data: "")
    end

    def run!(*command, **extra)
      output, status = run(*command, **extra)
      raise "#{command.join(" ")} failed (#{status}):\n#{output}" unless status.success?

      output
    end

    def lock = run!("bundle", "lock")
    def bundle(*arguments, **extra) = run!("bundle", *arguments, **extra)

    # Runs the command like the launcher, without RubyGems.
    def spate(*arguments, **extra)
      output, status = run(*SpateCommand.words, *arguments, **extra)
      SpateCommand.verify(arguments, output, status.exitstatus) do |words|
        run(*words, *arguments, **extra).then { |again, end_status| [again, end_status.exitstatus] }
      end
      [output, status]
    end

    def spate!(*arguments, **extra)
      output, status = spate(*arguments, **extra)
      raise "spate #{arguments.join(" ")} failed (#{status}):\n#{output}" unless status.success?

      output
    end

    def path(*parts) = File.join(folder, *parts)
    def bundle_root = path("vendor/bundle", Layout.ruby_scope)
    def installed = Dir.children("#{bundle_root}/specifications").map { |name| name.delete_suffix(".gemspec") }.sort
    def store = Store.open(env: { "SPATE_HOME" => "#{home}/spate", "HOME" => home })
  end
end
