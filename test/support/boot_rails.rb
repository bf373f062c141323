# frozen_string_literal: true

require "support/boot_project"
require "support/apps"
require "support/hasty_compiler"

module Spate
  # A small real Rails application (railties, controllers, views; no database), installed by Spate from the configured
  # gem source. It is created once per checkout, below tmp, and shared by the tests, which only boot it.
  class BootRails < BootProject
    FOLDER = File.expand_path("../../tmp/boot-rails-#{RUBY_VERSION[/\A\d+\.\d+/]}", __dir__)
    NATIVE = %w[bigdecimal cgi date erb io-console json psych racc stringio strscan].freeze
    # The version of the files below. A new version recreates the application.
    EDITION = "3"

    FILES = {
      "bin/rails" => <<~'RUBY',
        #!/usr/bin/env ruby
        APP_PATH = File.expand_path("../config/application", __dir__)
        require_relative "../config/boot"
        require "rails/commands"
      RUBY
      "config/boot.rb" => <<~'RUBY',
        ENV["BUNDLE_GEMFILE"] ||= File.expand_path("../Gemfile", __dir__)
        require "bundler/setup"
      RUBY
      "config/application.rb" => <<~'RUBY',
        require_relative "boot"
        require "rails"
        require "action_controller/railtie"
        require "action_view/railtie"
        Bundler.require(*Rails.groups)
        class Small < Rails::Application
          config.load_defaults Rails::VERSION::STRING.to_f
          config.eager_load = ENV["RAILS_ENV"] == "production"
          config.secret_key_base = "0" * 64
          config.hosts.clear
          config.logger = Logger.new(File::NULL)
        end
      RUBY
      "config/environment.rb" => "require_relative \"application\"\nRails.application.initialize!\n",
      "config/routes.rb" => "Rails.application.routes.draw { resources :notes }\n",
      "app/controllers/notes_controller.rb" => <<~'RUBY',
        class NotesController < ActionController::Base
          def index = render(plain: Note.new("a").text)
          def fail(unused) = raise(Note::Missing, __FILE__)
          def self.warned(value, other = value) = (value; other)
        end
      RUBY
      "app/models/note.rb" => <<~'RUBY',
        Note = Struct.new(:text) do
          def where = [__FILE__, __dir__, __LINE__, __method__]
        end
        class Note::Missing < StandardError; end
      RUBY
      "tell.rb" => <<~'RUBY'
        # The state of a booted application for comparison: Marshal of a Hash into BOOT_TOLD.
        told = {}
        told[:response] = Rack::MockRequest.new(Rails.application).get("/notes").then { |r| [r.status, r.body] }
        begin
          NotesController.new.fail(1)
        rescue Note::Missing => e
          told[:backtrace] = e.backtrace.reject { |line| line.start_with?("<internal:") }
        end
        told[:where] = Note.new.where
        told[:features] = $LOADED_FEATURES.dup
        told[:load_path] = $LOAD_PATH.map(&:to_s)
        told[:constants] = ObjectSpace.each_object(Module).filter_map { |m| Module.instance_method(:name).bind_call(m) }.uniq.grep_v(/#<Class/).sort
        told[:methods] = [ActionController::Base, NotesController, Note, Rails::Application, ActiveSupport::TimeZone]
          .flat_map { |m| m.instance_methods.sort.map { |n| [m.name, n, m.instance_method(n).source_location] } }
        if defined?(Coverage) && Coverage.running?
          told[:coverage] = Coverage.result.transform_values { |found| found[:lines] }
        end
        told[:environment] = ENV.to_h
        File.binwrite(ENV.fetch("BOOT_TOLD"), Marshal.dump(told))
        load ENV["BOOT_PROBE"]
        exit Integer(ENV["BOOT_EXIT"]) if ENV["BOOT_EXIT"]
        raise "as asked" if ENV["BOOT_RAISE"]
      RUBY
    }.freeze

    # The shared application without compile caches, created if it is missing. The lock is held until this process
    # exits, so that one program at a time boots it.
    def self.shared
      FileUtils.mkdir_p(FOLDER)
      app = new("#{FOLDER}/app", home: "#{FOLDER}/home")
      @lock ||= File.open("#{FOLDER}.lock", "w").tap { |lock| lock.flock(File::LOCK_EX) }
      app.make
      # Removes compile caches of an earlier run, possibly by a different version of Spate.
      FileUtils.rm_rf("#{app.home}/spate/store/v1/compile-cache")
      app
    end

    def make
      return update if File.exist?(path(".made")) && File.read(path(".made")) == EDITION

      FileUtils.rm_rf([folder, home])
      FileUtils.mkdir_p([folder, home])
      update
      write("Gemfile", gemfile)
      run!("bundle", "lock")
      run!(*SPATE, "install", "--quiet", "--compile-cache=off", PATH: HastyCompiler.path("#{FOLDER}/hasty"))
      write(".made", EDITION)
    end

    # The program's state, [Hash, Result]. spate: whether to boot with Spate.
    def told(spate:, **more)
      file = "#{home}/told"
      FileUtils.rm_f(file)
      arguments = ["bin/rails", "runner", "tell.rb"]
      more = { BOOT_TOLD: file }.merge(more)
      result = spate ? self.spate(*arguments, **more) : plain(*arguments, **more)
      [File.exist?(file) ? Marshal.load(File.binread(file)) : {}, result] # rubocop:disable Security/MarshalLoad
    end

    private

    def update
      stale = FILES.reject { |file, content| File.exist?(path(file)) && File.read(path(file)) == content }
      stale.each { |file, content| write(file, content) }
      File.chmod(0o755, path("bin/rails"))
    end

    def run!(*command, **more)
      result = run(*command, **more)
      raise "#{command.join(" ")} failed:\n#{result.out}#{result.err}" unless result.code.zero?
    end

    # Native gems have the version that Ruby includes.
    def gemfile
      pins = RUBY_VERSION < "3.2" ? { "nokogiri" => "~> 1.16.0", "irb" => "~> 1.14.0", "rdoc" => "~> 6.6.0" } : {}
      pins["railties"] = pins["actionpack"] = RUBY_VERSION < "3.2" ? "~> 7.1.0" : "~> 8.1.0"
      NATIVE.each { |name| (version = own_version(name)) && pins[name] = version }
      ["source #{TestApps.source.dump}", *pins.map { |pin| "gem #{pin.map(&:dump).join(", ")}" }, ""].join("\n")
    end

    def own_version(name)
      Gem::Specification.find_all_by_name(name).find(&:default_gem?)&.version&.to_s
    end
  end
end
