# frozen_string_literal: true

# Runs in a child Ruby with RubyGems and prints the values of Spate::Layout::Rubygems, one `name<TAB>value` per line.
def print_value(name, *values)
  values.flatten.compact.each { |value| puts "#{name}\t#{value}" }
end

$stdout.binmode
# With BUNDLE_VERSION=system, RubyGems 4 uses the newest Bundler and ignores BUNDLER_VERSION. The variable is deleted,
# because some versions raise an error for an invalid value.
newest = ENV.delete("BUNDLE_VERSION") == "system" && Gem.rubygems_version >= Gem::Version.new("4")
bundlers = Gem::Specification.find_all_by_name("bundler")
bundler = bundlers.find { |spec| spec.version.to_s == ENV["BUNDLER_VERSION"] } unless newest
bundler ||= bundlers.max_by(&:version)
default_specs = [Gem.default_specifications_dir,
                 *Gem.path.map { |path| File.join(path, "specifications/default") }].uniq
print_value :version, Gem::VERSION
print_value :dir, Gem.dir
print_value :bindir, Gem.bindir
print_value :platform, Gem::Platform.local.to_s
print_value :extension_api_version, Gem.extension_api_version
print_value :ruby, Gem.ruby
print_value :ruby_version, Gem.ruby_version.to_s
print_value :path, Gem.path
print_value :default_specifications, (default_specs.select { |path| File.directory?(path) })
print_value :default_sources, Gem.default_sources
if bundler
  print_value :bundler_version, bundler.version
  print_value :bundler_lib, bundler.full_require_paths.first
end
watched = $LOADED_FEATURES.grep(%r{/rubygems(\.rb|/defaults/\w+\.rb)\z})
watched << Gem.configuration.config_file_name
folders = Gem.path.map { |path| File.join(path, "specifications") } + default_specs
watched += folders.uniq.map { |path| "#{path}/bundler-*" }
print_value :files, watched
