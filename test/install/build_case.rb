# frozen_string_literal: true

require "install/install_case"
require "json"

# Installs of small gems with C extensions, built by the real compiler. Checks which builds ran and which were reused.
class InstallBuildCase < InstallCase
  # Declares the function instead of including ruby.h, because compiling that header would take most of the time.
  C = "void rb_define_global_const(const char *, unsigned long);\n" \
      "void Init_%<name>s(void) { rb_define_global_const(\"%<constant>s\", (%<value>s) * 2UL + 1); }\n"

  # A gem whose extension defines a constant named after it. value: a C expression. extconf: lines for its extconf.rb.
  def native(name, extconf: "", value: "1", version: "1.0", files: {}, dependencies: {})
    all = { "lib/#{name}.rb" => "require '#{name}/#{name}'\n",
            "ext/#{name}/extconf.rb" => "require 'mkmf'\n#{extconf}\ncreate_makefile('#{name}/#{name}')\n",
            "ext/#{name}/#{name}.c" => format(C, name: name, constant: name.upcase, value: value) }
    @source.add(name, version, native: true, files: all.merge(files), dependencies: dependencies)
  end

  # C source of such an extension, after these lines.
  def source(name, value, lines) = "#{lines}\n#{format(C, name: name, constant: name.upcase, value: value)}"

  # A gem whose build writes the path of its bundle into a file that the gem loads.
  def holding_its_folder(name, files)
    extconf = <<~'RUBY'
      File.write("../../lib/where.rb", "WHERE = #{File.expand_path("../..").dump}\n")
      File.write("Makefile", "all:\ninstall:\nclean:\n")
    RUBY
    @source.add(name, "1.0", native: true, files: { "ext/#{name}/extconf.rb" => extconf, **files })
  end

  # Installs, which must succeed. Returns [names of built gems, names of gems whose build came from the store].
  def install(project, *options, **env)
    output, status = run_install(project, "--json", *options, **env)
    assert_equal 0, status.exitstatus, output
    @events = output.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
    done = @events.select { |event| event["event"] == "build_done" }
    done.partition { |event| !event["cached"] }.map { |events| events.map { |event| event["name"] }.sort }
  end

  def warnings = @events.select { |event| event["event"] == "warning" }.map { |event| event["message"] }

  # { name => why no stored build could be reused } for the last install.
  def reasons
    @events.select { |event| event["anew"] }.to_h { |event| event.values_at("name", "anew") }
  end

  # The value of the compiled extension in a bundle, read from its library. install_test.rb checks that Bundler finds
  # it. For checkouts, whose extensions are elsewhere, asks Bundler.
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
