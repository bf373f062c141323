# frozen_string_literal: true

# Run in a child process: which packages the real Bundler would install for a Gemfile or a lockfile. No network and
# nothing installed: every source "holds" exactly what the lockfile names of it (and what `offered` adds).
#
# Reads from standard input (Marshal) { gemfile: path } or { lockfile: path, platform: name or nil, offered: [...] },
# writes { packages: [full name], dependencies: [...], optional: [group] } or { error:, message: }.
require "bundler"
Bundler.ui = Bundler::UI::Silent.new

job = Marshal.load($stdin.binmode.read) # rubocop:disable Security/MarshalLoad -- the test's own pipe
LOCAL = job[:platform] && Gem::Platform.new(job[:platform])
OFFERED = Array(job[:offered])
REQUIREMENTS = OFFERED.to_h { |row| [row.values_at(:name, :version, :platform).join(" "), row] }

# The sources' content.
module Stock
  class << self
    attr_accessor :locked
  end

  def specs = @specs ||= Bundler::Index.build { |index| stock.each { |row| index << spec(*row) } }

  def local! = nil
  def remote! = nil
  def cached! = nil

  private

  # [[name, version, platform, dependencies]]
  def stock
    own = Stock.locked.select { |spec| spec.source == self }
    offered = OFFERED.filter_map do |row|
      origin = own.find { |spec| spec.name == row[:name] }
      [*row.values_at(:name, :version, :platform), origin.dependencies] if origin
    end
    own.map { |spec| [spec.name, spec.version, spec.platform, spec.dependencies] } + offered
  end

  def spec(name, version, platform, dependencies)
    Gem::Specification.new(name, version) do |spec|
      spec.platform = platform
      dependencies.each { |dependency| spec.add_dependency(dependency.name, *dependency.requirement.as_list) }
      row = REQUIREMENTS["#{name} #{version} #{spec.platform}"]
      spec.required_ruby_version = row[:ruby] if row&.fetch(:ruby, nil)
      spec.required_rubygems_version = row[:rubygems] if row&.fetch(:rubygems, nil)
      spec.source = self
    end
  end
end

[Bundler::Source::Rubygems, Bundler::Source::Git].each { |source| source.prepend(Stock) }
Bundler::Source::Path.prepend(Stock) if job[:lockfile]

if LOCAL
  # The platform of another machine.
  Gem::Platform.define_singleton_method(:local) { |**| LOCAL }
  Gem.platforms = ["ruby", LOCAL]
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

answer =
  begin
    if job[:gemfile]
      ENV["BUNDLE_GEMFILE"] = job[:gemfile]
      lockfile = Pathname.new("#{job[:gemfile]}.lock")
      Stock.locked = Bundler::LockfileParser.new(lockfile.read).specs
      definition = Bundler::Definition.build(Pathname.new(job[:gemfile]), lockfile, nil)
      { packages: names(definition.requested_specs), dependencies: definition.dependencies.map { |it| facts(it) },
        optional: definition.instance_variable_get(:@optional_groups) }
    else
      parsed = Bundler::LockfileParser.new(File.read(job[:lockfile]))
      Stock.locked = parsed.specs
      if parsed.respond_to?(:most_specific_locked_platform)
        # Bundler itself asks the definition, which needs a Gemfile.
        Bundler.define_singleton_method(:most_specific_locked_platform?) do |platform|
          parsed.most_specific_locked_platform == platform
        end
      end
      set = Bundler::SpecSet.new(parsed.specs)
      wanted = parsed.dependencies.values.select { |dependency| set[dependency.name].any? }
      { packages: names(set.materialize(wanted)), dependencies: wanted.map { |it| facts(it) }, optional: [] }
    end
  rescue Bundler::BundlerError, NoMethodError => e
    { error: e.class.name, message: "#{e.message}\n#{e.backtrace.first(6).join("\n")}" }
  end
$stdout.binmode.write(Marshal.dump(answer.merge(bundler: Bundler::VERSION)))
