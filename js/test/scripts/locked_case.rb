# frozen_string_literal: true

require_relative "scripts_case"
require "support/npm_registry"

# Projects with a package-lock.json, of packages with scripts.
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

  # packages: { path => [name, version] }; facts: fields of package.json that the lockfile does not have.
  def lock(packages, **facts)
    locked = packages.to_h do |path, (name, version)|
      [path, { name: name, version: version, resolved: @registry.resolved(name, version),
               integrity: @registry.integrity(name, version), **needs(inside("#{path}/", packages)) }]
    end
    manifest(dependencies: inside("", packages), **facts)
    write("package-lock.json",
          JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3, requires: true,
                        packages: { "" => JSON.parse(File.read("#{@root}/package.json")), **locked }))
    sleep 0.05 # what was changed a moment ago is not believed by its time
  end

  def needs(dependencies) = dependencies.empty? ? {} : { dependencies: dependencies }

  # {name => version} of the packages in a folder's node_modules: what it asks for.
  def inside(folder, packages)
    packages.filter_map { |path, (_, version)| [$1, version] if path =~ %r{\A#{folder}node_modules/([^/]+)\z} }.to_h
  end

  # Report.
  def restore(**options)
    events = Spate::Events.new.subscribe { |event| @events << event }
    JS.restore(root: @root, store: @store, env: @env, events: events, options: JS::Options.new(**options))
  end

  def read(path) = File.read("#{@root}/#{path}").chomp

  # Another project.
  def another(name)
    Dir.mkdir(@root = "#{@base}/#{name}")
  end
end
