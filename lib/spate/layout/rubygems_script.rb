# frozen_string_literal: true

# Runs in a child Ruby with RubyGems and prints the values of Spate::Layout::Rubygems, one `name<TAB>value` per line.
def tell(name, *values)
  values.flatten.compact.each { |value| puts "#{name}\t#{value}" }
end

$stdout.binmode
# For "system", RubyGems 4 uses the newest version and ignores others. Some versions raise an error for an invalid
# version.
newest = ENV.delete("BUNDLE_VERSION") == "system" && Gem.rubygems_version >= Gem::Version.new("4")
bundlers = Gem::Specification.find_all_by_name("bundler")
bundler = bundlers.find { |spec| spec.version.to_s == ENV["BUNDLER_VERSION"] } unless newest
bundler ||= bundlers.max_by(&:version)
default_specs = [Gem.default_specifications_dir,
                 *Gem.path.map { |path| File.join(path, "specifications/default") }].uniq
tell :version, Gem::VERSION
tell :dir, Gem.dir
tell :bindir, Gem.bindir
tell :platform, Gem::Platform.local.to_s
tell :extension_api_version, Gem.extension_api_version
tell :ruby, Gem.ruby
tell :ruby_version, Gem.ruby_version.to_s
tell :path, Gem.path
tell :default_specifications, (default_specs.select { |path| File.directory?(path) })
tell :default_sources, Gem.default_sources
if bundler
  tell :bundler_version, bundler.version
  tell :bundler_lib, bundler.full_require_paths.first
end
watched = $LOADED_FEATURES.grep(%r{/rubygems(\.rb|/defaults/\w+\.rb)\z})
watched << Gem.configuration.config_file_name
folders = Gem.path.map { |path| File.join(path, "specifications") } + default_specs
watched += folders.uniq.map { |path| "#{path}/bundler-*" }
tell :files, watched
