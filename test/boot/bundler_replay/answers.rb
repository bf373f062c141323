# frozen_string_literal: true

# Prints the results of Bundler's and RubyGems' methods as JSON, before and after calls that a Bundler replay cannot
# handle itself.

require "json"
require "stringio"

asked = lambda do |&question|
  question.call
rescue Exception => e # rubocop:disable Lint/RescueException -- Gem::LoadError is a ScriptError
  [e.class.name, e.message.lines.first]
end

ATTRIBUTES = %i[
  name version full_name platform original_platform full_gem_path gem_dir loaded_from base_dir gems_dir spec_file
  require_paths full_require_paths extension_dir extensions bindir executables default_gem? metadata authors summary
  files homepage licenses required_ruby_version missing_extensions? spec_name
].freeze

STATE = lambda do
  { load_path: $LOAD_PATH, env: ENV.sort, dir: Gem.dir, path: Gem.path,
    loaded: Gem.loaded_specs.map { |name, spec| [name, spec.version.to_s, spec.full_gem_path] },
    each: Gem::Specification.map(&:full_name), latest: Gem::Specification.latest_specs(true).map(&:full_name),
    found: Gem::Specification.find_by_name("rake").full_gem_path,
    missing: asked.call { Gem::Specification.find_by_name("no-such-gem") }.first,
    gem: [%w[rake], %w[no-such-gem], ["rake", "< 1"], ["rake", ">= 1"]].map { |words| asked.call { gem(*words) } },
    programs: [%w[rake rake], %w[bundler bundle]].map { |words| asked.call { Gem.bin_path(*words) } },
    places: [Bundler.root, Bundler.default_gemfile, Bundler.default_lockfile, Bundler.bundle_path].map(&:to_s),
    original: Bundler.original_env, unbundled: Bundler.unbundled_env,
    inside: Bundler.with_unbundled_env { ENV.sort }, version: Bundler::VERSION,
    gems: asked.call { [Gem::ConsoleUI, Gem::DefaultUserInteraction].map(&:name) },
    late: (Object.constants - [:Pathname]).to_h { |name| [name, Object.autoload?(name)] }.compact.sort,
    errors: Bundler::GemNotFound.ancestors.map(&:to_s).grep(/Bundler/), constants: Bundler.constants.sort,
    features: $LOADED_FEATURES.grep(%r{/bundler(/|\.rb)}).grep_v(/(errors|version|constants|self_manager)\.rb\z/).sort }
end

answers = { state: STATE.call }
answers[:specs] = Gem.loaded_specs.each_value.to_h do |spec|
  [spec.name, ATTRIBUTES.to_h { |name| [name, asked.call { spec.public_send(name) }.to_s] }]
end
answers[:dependencies] = Gem.loaded_specs.each_value.map do |spec|
  [spec.name, spec.dependencies.map(&:to_s).sort, spec.to_spec.dependencies.map(&:to_s).sort]
end

answers[:no_program] = [%w[rake no-such], %w[no-such rake], %w[rake]].map do |words|
  $stderr = StringIO.new
  [asked.call { Gem.bin_path(*words) }, $stderr.string]
ensure
  $stderr = STDERR
end
answers[:definition] = Bundler.definition.specs.map(&:full_name)
answers[:runtime] = Bundler.load.specs.map(&:full_name)
answers[:gemfile] = Bundler.definition.dependencies.map do |dependency|
  [dependency.name, dependency.groups, dependency.requirement.to_s, dependency.autorequire]
end
answers[:locked] = Bundler.locked_gems.specs.map(&:full_name)
answers[:setting] = Bundler.settings[:path]
answers[:source] = Gem.loaded_specs.each_value.map { |spec| spec.respond_to?(:source) && spec.source.class.name }
answers[:classes] = Gem.loaded_specs.each_value.map { |spec| spec.class.name }
answers[:later] = STATE.call
puts JSON.pretty_generate(answers)
