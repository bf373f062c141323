# frozen_string_literal: true

require "test_helper"
require "json"
require "support/command_pages"
require_relative "../../js/test/support/npm_registry"
require "support/project"

# The documentation must match the behaviour.
class DocsTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  PAGES = Dir["#{ROOT}/*.md", "#{ROOT}/docs/**/*.md", "#{ROOT}/{bytes,js}/{,docs/}*.md"]
  # Pages whose examples need a project with packages.
  JAVASCRIPT = %w[js/README.md js/docs/javascript.md].freeze
  # Up to the closing parenthesis, including nested pairs.
  IN_PARENTHESES = /(?:[^()]|(?<inner>\((?:[^()]|\g<inner>)*\)))*/
  NESTED = /"[^"]*"|\((?:[^()]|\([^()]*\))*\)/
  EVENTFUL = ["install --compile-cache wait", "check", "list", "doctor", "store path", "store status", "store verify",
              "store prune --dry-run", "boot status", "boot verify", "boot explain tool", "boot clear", "version",
              "edit tool", "setup --dir there", "js scripts", "js --timeline page.html", "js check",
              "install --js", "nothing"].freeze

  def setup
    @source = GemSource.start
    @source.add("tool", "1.0", dependencies: { "base" => ">= 1" })
    @source.add("base", "1.2")
  end

  def teardown
    @source.stop
    @registry&.stop
    super
  end

  def app
    @app ||= Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'tool'\n").tap(&:lock)
  end

  # Adds two packages of a local registry to the project. Returns variables with the registry's address.
  def javascript
    @registry = NpmRegistry.start
    @registry.add("hello", "1.0.0")
    @registry.add("builder", "2.0.0", scripts: { "install" => "node install.js" })
    packages = { "builder" => "2.0.0", "hello" => "1.0.0" }
    root = { name: "app", version: "1.0.0", dependencies: packages }
    locked = packages.to_h { |name, version| ["node_modules/#{name}", locked(name, version)] }
    app.spate!("install")
    write("app/package.json", JSON.generate(root))
    write("app/package-lock.json", JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3,
                                                 packages: { "" => root, **locked }))
    NpmRegistry.env(@registry, home: app.home).slice("npm_config_registry", "NO_PROXY")
  end

  def locked(name, version)
    facts = { version: version, resolved: @registry.resolved(name, version),
              integrity: @registry.integrity(name, version) }
    name == "builder" ? { **facts, hasInstallScript: true } : facts
  end

  # The project's files are UTF-8, whatever the locale is.
  def read(path) = File.read(path, encoding: "UTF-8")

  # Blocks after `<!-- run -->`: "$ command", then its output; `...` matches any text in its line.
  def blocks(text) = text.scan(/^<!-- run -->\n```console\n(.*?)^```$/m).flatten

  PAGES.each do |path|
    name = path.delete_prefix("#{ROOT}/")
    define_method("test_the_examples_of_#{name}_run") do
      more = JAVASCRIPT.include?(name) ? javascript : {}
      blocks(read(path)).each do |block|
        block.split(/^\$ /).drop(1).each do |example|
          command, *expected = example.lines(chomp: true)
          pattern = expected.map { |line| Regexp.escape(line).gsub("\\.\\.\\.", ".*") }.join("\n")
          assert_match(/\A#{pattern}\n?\z/, app.run("sh", "-c", command, PATH: path_with_spate, **more).first, command)
        end
      end
    end

    define_method("test_the_links_of_#{name}_lead_somewhere") do
      targets = read(path).scan(/\]\(([^)#:]+)(?:#[^)]*)?\)/).flatten
      missing = targets.reject { |target| File.exist?(File.expand_path(target, File.dirname(path))) }

      assert_empty missing
    end
  end

  def test_some_example_runs
    assert_operator PAGES.sum { |path| blocks(read(path)).length }, :>=, 1
  end

  def test_commands_page_equals_the_help
    assert_equal CommandPages.text, read("#{ROOT}/docs/commands.md"), "run `rake docs`"
  end

  # Each row of the comparison names a committed result, which has all of the row's figures.
  def test_figures_of_the_comparison
    rows = read("#{ROOT}/docs/comparison.md").lines.grep(%r{/results/})
    wrong = rows.flat_map do |row|
      found = read(File.expand_path(row[/\]\((.*?)\)/, 1], "#{ROOT}/docs")).scan(/\d+(?:\.\d+)?/).map(&:to_f)
      row.split("|")[2..-3].join(" ").gsub(/\d+\.\d+\.\d+/, "").scan(/\d+(?:\.\d+)?/).map(&:to_f) - found
    end

    assert_operator rows.size, :>, 20
    assert_empty wrong
  end

  # The table lists the exit code of each error class, and no others.
  def test_the_exit_codes
    documented = read("#{ROOT}/docs/exit-codes.md").scan(/^\| (\d+) \|/).flatten.map(&:to_i)
    used = Dir["#{ROOT}/{,js/}lib/**/*.rb"].flat_map { |path| read(path).scan(/EXIT_CODE = (\d+)/).flatten.map(&:to_i) }

    assert_empty used - documented
    assert_equal documented.uniq, documented
  end

  # The table lists every emitted event, with all of its facts.
  def test_the_events
    documented = documented_events
    emitted = Dir["#{ROOT}/{,js/}lib/**/*.rb"].flat_map { |path| emitted_in(read(path)) }
    missing = emitted.map { |event, facts| [event, documented.key?(event) ? facts - documented[event] : :all] }

    refute_empty emitted
    assert_empty(missing.reject { |_, facts| facts == [] })
  end

  # Facts that are passed as a Hash do not appear in the code, so the output of commands is searched for them.
  def test_the_facts_of_events
    documented = documented_events
    more = javascript
    printed = EVENTFUL.flat_map do |line|
      app.run("sh", "-c", "spate #{line} --json", PATH: path_with_spate, **more).first.lines.grep(/\A\{/)
         .map { |text| JSON.parse(text) }
    end
    missing = printed.map { |event| [event["event"], event.keys - ["event"] - documented.fetch(event["event"])] }

    assert_empty(missing.reject { |_, facts| facts.empty? })
    assert_operator printed.map { |event| event["event"] }.uniq.length, :>, 20
  end

  private

  # {event => words in its row}
  def documented_events
    read("#{ROOT}/docs/events.md").lines.grep(/^\| `/).each_with_object({}) do |row, events|
      names = row[/\A\|[^|]*\|/].scan(/`(\w+)`/).flatten
      names.each { |name| (events[name] ||= []).concat(row.scan(/`(\w+)`/).flatten) }
    end
  end

  # [[event, facts]]: `emit(:linked, name: x)` and `json.call(event: :linked, name: x)`, without nested facts.
  def emitted_in(text)
    text.to_enum(:scan, /emit\(:(\w+)|\(event: :(\w+)/).map do
      match = Regexp.last_match
      facts = match.post_match[/\A#{IN_PARENTHESES}/o].gsub(NESTED, "")
      [match[1] || match[2], facts.scan(/(?<!:)\b([a-z]\w*): /).flatten]
    end
  end

  def path_with_spate
    @path_with_spate ||= begin
      Spate::CLI::Setup::Launcher.new(ruby: Spate::Util::Ruby.path, lib: "#{ROOT}/lib").write(write("bin/spate", ""))
      "#{folder}/bin:#{ENV.fetch("PATH")}"
    end
  end
end
