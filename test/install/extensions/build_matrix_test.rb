# frozen_string_literal: true

require "install/build_case"

# Random gems from a small grammar. Each reads a folder on the machine; some of the folders change. Each gem must have
# the value that a new build would have, and the same build must not run twice.
class BuildMatrixTest < InstallBuildCase
  GEMS = ENV["SPATE_TEST_FULL"] ? 100 : 8
  ROUNDS = 3
  # The tolerated share of unnecessary builds.
  NEEDLESS = 0.02

  # { source of a value => { language => expression that reads it } }. %<at>s: the gem's folder on the machine;
  # %<name>s: the gem's name in capitals. Each value is a number.
  SOURCES = {
    content: { "ruby" => "File.read('%<at>s/f').to_i", "open" => "Dir.open('%<at>s') { File.open('%<at>s/f', &:getc) }",
               "sh" => "`cat %<at>s/f`.to_i", "perl" => "`perl -pe 1 %<at>s/f`.to_i",
               "make" => "$(shell cat %<at>s/f)", "c" => "f" },
    presence: { "ruby" => "(File.exist?('%<at>s/p') ? 2 : 1)", "stat" => "(begin; File.stat('%<at>s/p') && 2; " \
                          "rescue SystemCallError; 1; end)",
                "sh" => "`test -e %<at>s/p && echo 2 || echo 1`.to_i", "make" => "$(if $(wildcard %<at>s/p),2,1)",
                "glob" => "(Dir.glob('%<at>s/p*').size + 1)" },
    listing: { "ruby" => "Dir.children('%<at>s/l').size", "sh" => "`ls %<at>s/l | wc -l`.to_i",
               "glob" => "Dir['%<at>s/l/*'].size", "make" => "$(words $(wildcard %<at>s/l/*))" },
    link: { "ruby" => "File.readlink('%<at>s/k').to_i", "sh" => "`readlink %<at>s/k`.to_i" },
    size: { "ruby" => "File.size('%<at>s/s')", "sh" => "`stat -c %%s %<at>s/s`.to_i" },
    program: { "path" => "`%<name>s-program`.to_i", "absolute" => "`%<at>s/bin/%<name>s-program`.to_i",
               "make" => "$(shell %<name>s-program)" },
    variable: { "ruby" => "ENV.fetch('%<name>s_X', '1').to_i", "sh" => "`echo ${%<name>s_X:-1}`.to_i",
                "find" => "(ENV.to_h['%<name>s_X'] || 1).to_i",
                "perl" => "`perl -e 'print $ENV{%<name>s_X} || 1'`.to_i",
                "make" => "$(or $(%<name>s_X),1)", "printenv" => "(`printenv %<name>s_X` + '1')[0].to_i",
                "computed" => "ENV.fetch('%<name>s'.upcase + '_X', '1').to_i" }
  }.freeze

  # state: {source => 1 or 2}; known: the states for which there is a build.
  Fake = Struct.new(:name, :atoms, :at, :state, :known)

  def setup
    super
    @random = Random.new(Spate.test_seed)
    @env = {}
    @gems = Array.new(GEMS) { |index| fake("m#{(97 + (index / 26)).chr}#{(97 + (index % 26)).chr}") }
    @gems.each { |gem| write_gem(gem) }
    @env[:PATH] = [*@gems.map { |gem| "#{gem.at}/bin" }, ENV.fetch("PATH")].join(":")
  end

  def test_only_changed_gems_are_built_again
    names = @gems.map(&:name).sort
    assert_equal [names, []], install(another(*names), **@env), context
    assert_empty warnings, context
    needless = Array.new(ROUNDS) { |round| round(round, names) }.sum
    assert_operator needless, :<=, (names.size * ROUNDS * NEEDLESS).floor, "#{context}: #{@needless.inspect}"
  end

  private

  # No time limit, because a hundred builds take long.
  def run_install(project, *options, **env) = project.spate("install", *options, **env)

  def context = "seed #{Spate.test_seed}"

  # Changes some gems at random, installs all, and checks their values. Returns the number of unnecessary builds.
  def round(number, names)
    @gems.each do |gem|
      gem.known |= [gem.state.dup]
      change(gem) if @random.rand(3).positive?
    end
    built, reused = install(project = another(*names), **@env)
    assert_equal names, (built + reused).sort
    assert_equal expected, values(project), "#{context}, round #{number}: #{@gems.inspect}"
    again = @gems.select { |gem| built.include?(gem.name) && gem.known.include?(gem.state) }
    (@needless ||= []).concat(again.map { |gem| [gem.atoms, reasons[gem.name]] })
    again.size
  end

  def fake(name)
    atoms = SOURCES.keys.sample(@random.rand(1..3), random: @random)
                   .to_h { |source| [source, SOURCES[source].keys.sample(random: @random)] }
    Fake.new(name, atoms, "#{folder}/matrix/#{name}", atoms.transform_values { 1 }, []).tap { |gem| plant(gem) }
  end

  def plant(gem)
    { "f" => "1", "l/1" => "", "s" => "1", "near" => "" }.each do |path, text|
      write("matrix/#{gem.name}/#{path}", text)
    end
    write("matrix/#{gem.name}/f.h", "#define F 1\n")
    program(gem, 1)
    File.symlink("1", "#{gem.at}/k")
  end

  def program(gem, value)
    write("matrix/#{gem.name}/bin/#{gem.name}-program", "#!/bin/sh\necho #{value}\n", mode: 0o755)
  end

  # Changes a source of the gem's value, or something irrelevant.
  def change(gem)
    source, = gem.atoms.to_a.sample(random: @random)
    return beside(gem) if @random.rand(4).zero?

    value = gem.state[source] == 1 ? 2 : 1
    send("change_#{source}", gem, value)
    gem.state[source] = value
  end

  # Changes things that no build reads.
  def beside(gem)
    write("matrix/#{gem.name}/near", @random.rand.to_s)
    FileUtils.touch("#{gem.at}/f")
    @env[:"UNRELATED_#{gem.name.upcase}"] = "1"
  end

  def change_content(gem, value)
    write("matrix/#{gem.name}/f", value.to_s)
    write("matrix/#{gem.name}/f.h", "#define F #{value}\n")
  end

  def change_presence(gem, value) = value == 2 ? write("matrix/#{gem.name}/p", "") : File.unlink("#{gem.at}/p")
  def change_listing(gem, value) = value == 2 ? write("matrix/#{gem.name}/l/2", "") : File.unlink("#{gem.at}/l/2")
  def change_size(gem, value) = write("matrix/#{gem.name}/s", "x" * value)
  def change_program(gem, value) = program(gem, value)
  def change_variable(gem, value) = @env[:"#{gem.name.upcase}_X"] = (value.to_s if value == 2)

  def change_link(gem, value)
    File.unlink("#{gem.at}/k")
    File.symlink(value.to_s, "#{gem.at}/k")
  end

  def write_gem(gem)
    lines = gem.atoms.map { |source, language| [source, language, format_of(gem, source, language)] }
    configured, made = lines.partition { |_, language, _| !%w[make c].include?(language) }
    headers, made = made.partition { |_, language, _| language == "c" }
    native(gem.name, extconf: configured.map { |source, _, text| "$defs << \"-DV_#{source}=\#{#{text}}\"\n" }.join +
                              headers.map { "$CPPFLAGS << ' -I#{gem.at}'\n" }.join,
                     files: { **rules(gem, made), "ext/#{gem.name}/#{gem.name}.c" => c_of(gem, headers) })
  end

  def format_of(gem, source, language)
    name = source == :variable && language != "computed" ? gem.name.upcase : gem.name
    format(SOURCES[source][language], at: gem.at, name: name)
  end

  def rules(gem, made)
    return {} if made.empty?

    flags = made.map { |source, _, text| "-DV_#{source}=#{text}" }
    { "ext/#{gem.name}/depend" => "#{gem.name}.o: CFLAGS += #{flags.join(" ")}\n" }
  end

  # C code whose value has one digit for each source.
  def c_of(gem, headers)
    lines = headers.map { |source, _, _| "#include <f.h>\n#define V_#{source} F\n" }.join
    source(gem.name, gem.atoms.keys.each_with_index.map { |name, place| "V_#{name} * #{10**place}" }.join(" + "), lines)
  end

  def expected
    @gems.to_h { |gem| [gem.name, gem.state.values.each_with_index.sum { |value, place| value * (10**place) }] }
  end

  def values(project)
    script = @gems.map { |gem| "require '#{gem.name}'; puts '#{gem.name} ' + #{gem.name.upcase}.to_s" }.join(";")
    project.bundle("exec", "ruby", "-e", script, **@env).lines.to_h { |line| line.split.then { |n, v| [n, v.to_i] } }
  end
end
