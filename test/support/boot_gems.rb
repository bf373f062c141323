# frozen_string_literal: true

require "support/boot_project"

module Spate
  # The files of a BootProject: gems that load each other, search missing features, and are loaded from the application,
  # by path and by group, and a program that prints details of its boot.
  module BootGems
    # Prints the loaded files in order, their names and their output. Never fails itself. Paths below the application
    # are printed relative to it.
    MAIN = <<~'RUBY'
      ROOT = __dir__
      def told(value) = value.gsub(ROOT, "ROOT").gsub(/0x\h+/, "0x")
      def attempt(name)
        value = yield
        puts told("#{name}: #{value.inspect}")
      rescue Exception => e
        frames = e.backtrace.to_a.grep(/#{ROOT}/).first(3)
        puts told("#{name}: #{e.class}: #{e.message.lines.first} #{frames}")
      end
      attempt("alpha") { require "alpha"; Alpha.tell }
      attempt("beta") { require "beta"; Beta.tell }
      attempt("gamma") { require "gamma"; Gamma.tell }
      attempt("again") { [require("alpha"), require("alpha/part"), require("alpha/part.rb")] }
      attempt("option") { require "alpha/option"; Alpha::OPTION }
      attempt("shadow") { require "shadow"; SHADOW }
      attempt("lazy") { Alpha::Lazy.tell }
      attempt("part of the application") { require_relative "app/part"; Part.tell }
      attempt("loaded") { load "#{ROOT}/app/loaded.rb"; Part::LOADED }
      attempt("added") { $LOAD_PATH.unshift("#{ROOT}/extra"); require "extra"; EXTRA }
      attempt("groups") { require "bundler"; Bundler.require(:default, :tools) ; defined?(Delta) && Delta.tell }
      attempt("delta") { require "delta"; Delta.tell }
      attempt("specs") { %w[alpha beta gamma delta].map { |name| Gem.loaded_specs[name]&.full_name } }
      attempt("gem") { gem "beta" }
      attempt("bundler") { [Bundler.root.to_s, Bundler.default_lockfile.to_s] }
      attempt("definition") { Bundler.definition.specs.map(&:full_name).sort }
      attempt("where") { [Alpha.method(:tell).source_location, Beta.method(:tell).source_location] }
      attempt("raise") { Alpha.fail }
      attempt("literal") { "abc".frozen? }
      attempt("argument") { ENV.values_at("DUAL", "BUNDLE_GEMFILE") }
      puts "features:", told($LOADED_FEATURES.grep(/\A#{ROOT}/).join("\n"))
      puts "load path:", told($LOAD_PATH.grep(/\A#{ROOT}/).join("\n"))
      load ENV["BOOT_PROBE"]
      exit 3 if ARGV.include?("three")
    RUBY

    GEMFILE = <<~RUBY.freeze
      source "#{BootProject::SOURCE}"
      gem "alpha"
      gem "beta"
      gem "gamma", path: "gamma"
      gem "delta", group: :tools
      instance_eval(File.read("Gemfile.more")) if File.exist?("Gemfile.more")
      gem "epsilon" if ENV["DUAL"] == "next"
    RUBY

    GAMMASPEC = <<~RUBY
      Gem::Specification.new("gamma", "0.1") do |spec|
        spec.summary = spec.name
        spec.authors = ["Nobody"]
        spec.files = Dir.glob("lib/**/*.rb", base: __dir__)
      end
    RUBY

    ALPHA = <<~RUBY
      module Alpha
        VERSION = "0.0"
        autoload :Lazy, "alpha/lazy"
        def self.tell = [VERSION, PART, OPTIONAL, __FILE__, __dir__, __LINE__, method(:tell).owner]
        def self.fail
          raise ArgumentError, "as asked"
        end
      end
      require "alpha/part"
      Alpha::OPTIONAL = begin
        require "alpha/nothing"
      rescue LoadError => e
        e.path
      end
    RUBY

    BETA = <<~RUBY
      require "alpha"
      require "beta/part.rb"
      module Beta
        def self.tell = [PART, Alpha::PART]
      end
    RUBY

    module_function

    # A project with all of these files that was not booted yet.
    def project(folder, **options)
      project = BootProject.new(folder, **options)
      gems(project)
      application(project)
      project
    end

    def gems(project)
      %w[1.0 1.1].each { |version| project.add_gem("alpha", version, alpha(version)) }
      project.add_gem("beta", "2.0", beta, dependencies: { "alpha" => ">= 1" })
      project.add_gem("delta", "0.3", { "lib/delta.rb" => "module Delta\n  def self.tell = :delta\nend\n" })
      project.add_gem("epsilon", "0.9", { "lib/epsilon.rb" => "module Epsilon\nend\n" })
      project.write("gamma/gamma.gemspec", GAMMASPEC)
      project.write("gamma/lib/gamma.rb", "module Gamma\n  def self.tell = [:gamma, __FILE__, __dir__]\nend\n")
      project.write("gamma/other/gamma.rb", "module Gamma\n  def self.tell = [:other, __FILE__, __dir__]\nend\n")
    end

    def application(project)
      project.write("main.rb", MAIN)
      project.write("app/part.rb", "module Part\n  def self.tell = [:part, __FILE__, __LINE__, caller.size]\nend\n")
      project.write("app/loaded.rb", "module Part\n  LOADED = __FILE__ unless const_defined?(:LOADED)\nend\n")
      project.write("extra/extra.rb", "EXTRA = 1\n")
      project.write("Gemfile", GEMFILE)
      project.write("Gemfile.lock", lockfile)
    end

    def alpha(version)
      { "lib/alpha.rb" => ALPHA.sub("0.0", version), "lib/alpha/part.rb" => "module Alpha\n  PART = 10\nend\n",
        "lib/alpha/lazy.rb" => "module Alpha\n  module Lazy\n    def self.tell = :lazy\n  end\nend\n" }
    end

    # A gem whose folder comes after alpha's in the load path.
    def beta
      { "lib/beta.rb" => BETA, "lib/beta/part.rb" => "module Beta\n  PART = 20\nend\n",
        "lib/shadow.rb" => "SHADOW = :beta\n" }
    end

    # alpha, beta: versions. more: further specs below GEM.
    def lockfile(alpha: "1.0", beta: "2.0", more: [], dependencies: [])
      <<~LOCK
        PATH
          remote: gamma
          specs:
            gamma (0.1)

        GEM
          remote: #{BootProject::SOURCE}/
          specs:
            alpha (#{alpha})
            beta (#{beta})
              alpha (>= 1)
            delta (0.3)
        #{more.map { |spec| "    #{spec}\n" }.join}
        PLATFORMS
          ruby
          x86_64-linux

        DEPENDENCIES
          alpha
          beta
          delta
        #{dependencies.map { |name| "  #{name}\n" }.join}  gamma!

        BUNDLED WITH
           2.3.7
      LOCK
    end
  end
end
