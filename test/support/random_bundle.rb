# frozen_string_literal: true

require "fileutils"
require "support/gem_source"

module Spate
  # A random Gemfile, which the seed determines. It has gems of a source (RandomBundle.stock), of a folder and of a git
  # repository; groups, platforms and conditions; settings in the environment or in .bundle/config.
  class RandomBundle
    POOL = %w[alone base tool twin-a twin-b native variants plugged wordy early].freeze
    GROUPS = [":test", ":development, :test", ":docs, optional: true"].freeze
    CONDITIONS = ["", "", "", ", require: false", ", platforms: :jruby", ", platforms: :ruby", ", group: :test",
                  ", install_if: -> { false }", ", install_if: -> { true }"].freeze
    SETTINGS = [%w[without test], %w[without development:test], %w[with docs], %w[force_ruby_platform true],
                %w[jobs 1], %w[clean true], %w[ignore_messages true], %w[build.native --with-this]].freeze
    UMASKS = [0o022, 0o022, 0o002, 0o077].freeze

    # Adds the gems to a GemSource.
    def self.stock(source)
      source.add("alone", "1.0")
      %w[1.0 1.1 2.0.rc1].each { |version| source.add("base", version) }
      source.add("tool", "1.0", executables: %w[tool other], dependencies: { "base" => "~> 1.0" })
      source.add("twin-a", "1.0", executables: %w[twin], dependencies: { "twin-b" => ">= 0" })
      source.add("twin-b", "1.0", executables: %w[twin])
      source.add("native", "1.0", native: true)
      ["ruby", Gem::Platform.local.to_s, "java"].each { |platform| source.add("variants", "1.0", platform: platform) }
      source.add("plugged", "1.0", files: { "lib/plugged.rb" => "", "lib/rubygems_plugin.rb" => "" })
      source.add("wordy", "1.0", files: { "lib/ä b.rb" => "", "data/script" => ["x", 0o700] }) do |spec|
        spec.post_install_message = "Thanks"
      end
      source.add("early", "1.0.beta", dependencies: { "base" => ["> 1.0", "!= 1.5"] })
    end

    # repository: a GemSource::Repository with the gem "kept". url: the source's address.
    def initialize(seed, url, repository)
      @random = Random.new(seed)
      @url = url
      @repository = repository
    end

    def gemfile = @gemfile ||= "source '#{@url}'\n#{[*gems, group, folder, git].compact.join("\n")}\n"

    # [Hash for the environment, Hash for .bundle/config]
    def settings
      @settings ||= begin
        chosen = SETTINGS.sample(@random.rand(3), random: @random)
        keys = chosen.map { |name, value| ["BUNDLE_#{name.upcase.gsub(".", "__")}", value] }
        keys.partition { @random.rand < 0.5 }.map(&:to_h)
      end
    end

    def umask = @umask ||= pick(UMASKS)
    def subfolder? = @subfolder ||= pick([false, true, false])
    # The state of the lockfile before the installation.
    def lockfile = @lockfile ||= pick(%i[kept kept kept removed crlf changed])

    # Writes the Gemfile and other files into the application's folder.
    def write(path)
      _, config = settings
      FileUtils.mkdir_p(["#{path}/own/exe", "#{path}/.bundle", "#{path}/sub/folder"])
      File.write("#{path}/Gemfile", gemfile)
      File.write("#{path}/own/exe/own", "puts :own\n")
      File.write("#{path}/own/own.gemspec", GEMSPEC)
      File.write("#{path}/.bundle/config", "---\n#{config.map { |key, value| "#{key}: #{value.dump}\n" }.join}")
    end

    GEMSPEC = <<~RUBY
      Gem::Specification.new("own", "0.1") do |spec|
        spec.summary = "x"
        spec.authors = ["x"]
        spec.files = Dir["**/*"]
        spec.bindir = "exe"
        spec.executables = ["own"]
        spec.add_dependency "alone"
      end
    RUBY

    private

    def pick(list) = list[@random.rand(list.size)]

    def gems
      @names = POOL.shuffle(random: @random)
      @names.shift(1 + @random.rand(6)).map do |name|
        version = ", '>= 1.0.a'" if name == "early"
        "gem '#{name}'#{version}#{pick(CONDITIONS)}"
      end
    end

    def group
      name = @names.find { |each| each != "early" }
      "group(#{pick(GROUPS)}) { gem '#{name}' }" if name && @random.rand < 0.6
    end

    def folder = ("gem 'own', path: 'own'" if @random.rand < 0.3)

    def git
      return unless @random.rand < 0.3

      "gem 'kept', git: '#{@repository.url}', #{pick(%w[branch:main tag:v1 ref:v1]).sub(":", ": '")}'"
    end
  end
end
