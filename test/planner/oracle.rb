# frozen_string_literal: true

# Runs in a child process and returns the packages that the real Bundler would install for a Gemfile or a lockfile.
# Uses no network and no installed gems: every source has the gems of the lockfile, and those in `offered`.
#
# Reads jobs from standard input (Marshal): { gemfile: path } or { lockfile: path, platform: name, offered: [...] },
# each with { environment: {...} }. For each job it writes { packages: [full name], dependencies: [...],
# optional: [group] } or { error:, message: }. Each job has a separate process, because Bundler caches what it reads.
require "bundler"
Bundler.ui = Bundler::UI::Silent.new

# The gems in the sources.
module Stock
  class << self
    attr_accessor :locked, :offered

    def offer(name, version, platform)
      offered.find { |row| row.values_at(:name, :version, :platform) == [name, version.to_s, platform.to_s] }
    end
  end

  def specs = @specs ||= Bundler::Index.build { |index| stock.each { |row| index << spec(*row) } }

  def local! = nil
  def remote! = nil
  def cached! = nil

  private

  # The gems of this source: [[name, version, platform, dependencies]]
  def stock
    own = Stock.locked.select { |spec| spec.source == self }
    offered = Stock.offered.filter_map do |row|
      origin = own.find { |spec| spec.name == row[:name] }
      [*row.values_at(:name, :version, :platform), origin.dependencies] if origin
    end
    own.map { |spec| [spec.name, spec.version, spec.platform, spec.dependencies] } + offered
  end

  def spec(name, version, platform, dependencies)
    Gem::Specification.new(name, version) do |spec|
      spec.platform = platform
      dependencies.each { |dependency| spec.add_dependency(dependency.name, *dependency.requirement.as_list) }
      row = Stock.offer(name, version, spec.platform)
      spec.required_ruby_version = row[:ruby] if row&.fetch(:ruby, nil)
      spec.required_rubygems_version = row[:rubygems] if row&.fetch(:rubygems, nil)
      spec.source = self
    end
  end
end

def stage(job)
  ENV.update(job[:environment])
  Stock.offered = Array(job[:offered])
  [Bundler::Source::Rubygems, Bundler::Source::Git].each { |source| source.prepend(Stock) }
  Bundler::Source::Path.prepend(Stock) if job[:lockfile]
  return unless job[:platform]

  # Simulates the platform of another machine.
  machine = Gem::Platform.new(job[:platform])
  Gem::Platform.define_singleton_method(:local) { |**| machine }
  Gem.platforms = ["ruby", machine]
end

def facts(dependency)
  fits = !dependency.respond_to?(:gem_platforms) || dependency.gem_platforms([local]).any?
  included = dependency.should_include? && fits
  { name: dependency.name, groups: dependency.groups, platforms_ok: included,
    force_ruby_platform: dependency.respond_to?(:force_ruby_platform) && dependency.force_ruby_platform }
end

def local
  defined?(Bundler::GemHelpers) ? Bundler::GemHelpers.generic_local_platform : Bundler.generic_local_platform
end

def names(specs) = specs.to_a.reject { |spec| spec.name == "bundler" }.map(&:full_name).sort

def of_gemfile(path)
  ENV["BUNDLE_GEMFILE"] = path
  lockfile = Pathname.new("#{path}.lock")
  Stock.locked = Bundler::LockfileParser.new(lockfile.read).specs
  definition = Bundler::Definition.build(Pathname.new(path), lockfile, nil)
  { packages: names(definition.requested_specs), dependencies: definition.dependencies.map { |it| facts(it) },
    optional: definition.instance_variable_get(:@optional_groups) }
end

def of_lockfile(path)
  parsed = Bundler::LockfileParser.new(File.read(path))
  Stock.locked = parsed.specs
  if parsed.respond_to?(:most_specific_locked_platform)
    # Bundler calls the definition here, which would need a Gemfile.
    Bundler.define_singleton_method(:most_specific_locked_platform?) do |platform|
      parsed.most_specific_locked_platform == platform
    end
  end
  set = Bundler::SpecSet.new(parsed.specs)
  wanted = parsed.dependencies.values.select { |dependency| set[dependency.name].any? }
  { packages: names(set.materialize(wanted)) }
end

def answer(job)
  stage(job)
  job[:gemfile] ? of_gemfile(job[:gemfile]) : of_lockfile(job[:lockfile])
rescue Bundler::BundlerError, NoMethodError => e
  { error: e.class.name, message: "#{e.message}\n#{e.backtrace.first(6).join("\n")}" }
end

jobs = Marshal.load($stdin.binmode.read) # rubocop:disable Security/MarshalLoad -- the test's own pipe
answers = jobs.map do |job|
  IO.popen("-", "rb") do |child|
    next child.read if child

    $stdout.binmode.write(Marshal.dump(answer(job)))
    $stdout.flush
    exit!(0)
  end
end
$stdout.binmode.write(Marshal.dump(answers))
