# frozen_string_literal: true

require "test_helper"
require "json"
require "socket"
require "spate/tracer"
require "support/npm_tools"

# A project with packages in place. Their scripts run without a restore.
module JSScriptsCase
  JS = Spate::JS
  Context = Struct.new(:root, :env, :store, :events, :options, keyword_init: true) do
    def path(inside) = inside.start_with?("/") ? inside : File.join(root, inside)
  end
  Options = Struct.new(:jobs, :ignore_scripts, :rebuild, keyword_init: true) do
    def rebuild?(name) = Array(rebuild).include?(name)
  end

  def setup
    @base = File.realpath(Dir.mktmpdir)
    @root = "#{@base}/app"
    @home = "#{@base}/home"
    [@root, @home].each { |folder| Dir.mkdir(folder) }
    @env = ENV.to_h.merge("HOME" => @home, "SPATE_HOME" => "#{@base}/spate")
              .reject { |name, _| name.match?(/\A(?:npm_|pnpm_|XDG_)/) }
    @store = Spate::Store.open(env: @env)
    @trees = []
    @events = []
    skip "no node on the PATH" unless JS::Tools::Program.find("node", ENV.fetch("PATH"))
  end

  def teardown
    FileUtils.rm_rf(@base)
  end

  def write(path, text = "", mode: nil)
    path = File.expand_path(path, @root)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    File.chmod(mode, path) if mode
    path
  end

  def manifest(**facts) = write("package.json", JSON.generate(name: "app", version: "1.0.0", **facts))

  # Adds a package in place. scripts: {event => text}.
  def add(name, version = "1.0.0", scripts = {}, path: "node_modules/#{name}", key: path, of: name, resolved: nil,
          integrity: "sha512-#{["x" * 64].pack("m0")}", files: {}, **more)
    write("#{path}/package.json", JSON.generate(name: name, version: version, scripts: scripts))
    files.each { |file, text| write("#{path}/#{file}", text) }
    package = JS::Package.new(name: of, version: version, resolved: resolved,
                              integrity: JS::Package::Integrity.parse(integrity))
    @trees.reject! { |tree| tree.path == path }
    @trees << JS::Tree.new(path: path, package: package, key: key, **more)
  end

  def plan(tool = "npm", projects: ["."])
    JS::Plan.new(tool: tool, root: @root, trees: @trees, links: {}, bins: [], projects: projects, skipped: [])
  end

  def facts(folder)
    path = File.expand_path("#{folder}/package.json", @root)
    paths = Dir.children(File.dirname(path))
    JS::Package::Facts.read(File.read(path), paths, path) { "" }
  end

  # Runs the scripts. Returns a JS::Outcome.
  def run_scripts(tool = "npm", projects: ["."], configuration: nil, **options)
    plan = plan(tool, projects: projects)
    places = [*@trees.map(&:path), *projects].select do |path|
      File.file?(File.expand_path("#{path}/package.json", @root))
    end
    outcome = JS::Outcome.new(facts: places.to_h { |path| [path, facts(path)] })
    events = Spate::Events.new.subscribe { |event| @events << event }
    context = Context.new(root: @root, env: @env, store: @store, events: events, options: Options.new(**options))
    @count = JS::Scripts.run(plan, outcome, configuration, context)
    outcome
  end

  # The words that scripts printed with `say`.
  def said = File.exist?("#{@base}/said") ? File.readlines("#{@base}/said", chomp: true) : []
  def say(word) = "echo #{word} >> #{@base}/said"
end
