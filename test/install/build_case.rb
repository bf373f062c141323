# frozen_string_literal: true

require "install/install_case"
require "json"

# Installs of small gems with C extensions by the real compiler: the builds that ran, and those taken from the store.
class InstallBuildCase < InstallCase
  # Declared as in ruby.h, because reading that header would be most of the compiler's work for a gem of three lines.
  C = "void rb_define_global_const(const char *, unsigned long);\n" \
      "void Init_%<name>s(void) { rb_define_global_const(\"%<constant>s\", (%<value>s) * 2UL + 1); }\n"

  # A gem whose extension defines a constant named after it; %<value>s is C, and extconf adds lines to its extconf.rb.
  def native(name, extconf: "", value: "1", version: "1.0", files: {}, dependencies: {})
    all = { "lib/#{name}.rb" => "require '#{name}/#{name}'\n",
            "ext/#{name}/extconf.rb" => "require 'mkmf'\n#{extconf}\ncreate_makefile('#{name}/#{name}')\n",
            "ext/#{name}/#{name}.c" => format(C, name: name, constant: name.upcase, value: value) }
    @source.add(name, version, native: true, files: all.merge(files), dependencies: dependencies)
  end

  # The same, with lines of C before it.
  def source(name, value, lines) = "#{lines}\n#{format(C, name: name, constant: name.upcase, value: value)}"

  # A gem whose build writes the folder of its bundle into a file that it loads.
  def holding_its_folder(name, files)
    extconf = <<~'RUBY'
      File.write("../../lib/where.rb", "WHERE = #{File.expand_path("../..").dump}\n")
      File.write("Makefile", "all:\ninstall:\nclean:\n")
    RUBY
    @source.add(name, "1.0", native: true, files: { "ext/#{name}/extconf.rb" => extconf, **files })
  end

  # [names built, names taken from the store] of an install that must succeed.
  def install(project, *options, **env)
    output, status = run_install(project, "--json", *options, **env)
    assert_equal 0, status.exitstatus, output
    @events = output.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
    done = @events.select { |event| event["event"] == "build_done" }
    done.partition { |event| !event["cached"] }.map { |events| events.map { |event| event["name"] }.sort }
  end

  def warnings = @events.select { |event| event["event"] == "warning" }.map { |event| event["message"] }

  # {name => why a stored build did not fit} of the last install.
  def reasons
    @events.select { |event| event["anew"] }.to_h { |event| event.values_at("name", "anew") }
  end

  # The value of the compiled extension in a bundle. install_test.rb checks that Bundler finds it. Extensions of
  # checkouts are elsewhere.
  def value(project, name)
    library = Dir.glob("#{project.bundle_root}/extensions/*/*/#{name}-[0-9]*/#{name}/#{name}.so").first
    return project.bundle("exec", "ruby", "-e", "require '#{name}'; print #{name.upcase}") unless library

    project.run!("ruby", "--disable-gems", "-e", "require ARGV.first; print #{name.upcase}", library)
  end

  # A project in a separate folder that shares the store with the others.
  def another(*gems, **options)
    @count = @count.to_i + 1
    app("app#{@count}", gems: gems, **options)
  end
end
