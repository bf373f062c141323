# frozen_string_literal: true

require_relative "scripts_case"
require "support/npm_registry"

# Projects with a package-lock.json and packages with scripts.
module JSLockedCase
  include JSScriptsCase

  def setup
    super
    @registry = NpmRegistry.start
    @env = @env.merge(NpmRegistry.env(@registry, home: @home))
  end

  def teardown
    @registry&.stop
    super
  end

  # packages: { path => [name, version] }; facts: fields of package.json that are not in the lockfile.
  def lock(packages, **facts)
    locked = packages.to_h do |path, (name, version)|
      [path, { name: name, version: version, resolved: @registry.resolved(name, version),
               integrity: @registry.integrity(name, version), **needs(inside("#{path}/", packages)) }]
    end
    manifest(dependencies: inside("", packages), **facts)
    write("package-lock.json",
          JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3, requires: true,
                        packages: { "" => JSON.parse(File.read("#{@root}/package.json")), **locked }))
    sleep 0.05 # mtimes of recent changes are not trusted
  end

  def needs(dependencies) = dependencies.empty? ? {} : { dependencies: dependencies }

  # The dependencies of a folder: { name => version } of the packages in its node_modules.
  def inside(folder, packages)
    packages.filter_map { |path, (_, version)| [$1, version] if path =~ %r{\A#{folder}node_modules/([^/]+)\z} }.to_h
  end

  # Restores the project. Returns the Report.
  def restore(**options)
    events = Spate::Events.new.subscribe { |event| @events << event }
    JS.restore(root: @root, store: @store, env: @env, events: events, options: JS::Options.new(**options))
  end

  def read(path) = File.read("#{@root}/#{path}").chomp

  # Creates another project.
  def another(name)
    Dir.mkdir(@root = "#{@base}/#{name}")
  end
end
