# frozen_string_literal: true

require "install/install_case"

# Installs a dozen small gems, two of them with an extension that builds quickly. Compares the result with that of an
# undisturbed install.
class DozenCase < InstallCase
  # Files that differ between two builds of the same gem: they contain random names of folders.
  UNSTABLE = /(gem_make\.out|Makefile)\z/
  PLAIN = 10
  EXTENSION = <<~'RUBY'
    require "rbconfig"
    File.write("Makefile", <<~MAKE)
      sitearchdir = #{RbConfig::MAKEFILE_CONFIG["sitearchdir"]}
      all: built.rb
      built.rb:
      	sleep 0.1
      	echo 'BUILT = 1' > built.rb
      install: all
      	mkdir -p $(DESTDIR)$(sitearchdir)
      	cp built.rb $(DESTDIR)$(sitearchdir)/built.rb
      clean:
      .PHONY: all install clean
    MAKE
  RUBY

  def setup
    super
    PLAIN.times { |number| @source.add("plain#{number}", "1.#{number}", **plain(number)) }
    2.times do |number|
      @source.add("built#{number}", "0.#{number}", dependencies: { "plain0" => ">= 1" }, native: true,
                                                   files: { "lib/built#{number}.rb" => "",
                                                            "ext/built/extconf.rb" => EXTENSION })
    end
    @gems = Array.new(PLAIN) { |number| "plain#{number}" } + %w[built0 built1]
    @full_names = @source.catalog.entries.map(&:full_name)
  end

  def dozen(name = "app", **options) = app(name, gems: @gems, **options)

  # The expected tree of every install, from a separate application and store.
  def reference
    @reference ||= begin
      calm = dozen("calm", home: "calm-home")
      @calm_seconds = seconds { assert_installs(calm, *@full_names) }
      Spate::TreeComparison.snapshot(calm.bundle_root)
    end
  end

  # The duration of an undisturbed install, in seconds.
  def calm_seconds = reference && @calm_seconds

  def assert_right(project)
    assert_equal @full_names.sort, project.installed
    found = Spate::TreeComparison.snapshot(project.bundle_root)
    assert_empty Spate::TreeComparison.differences(reference, found, allowed: reference.keys.grep(UNSTABLE))
    assert_whole(project)
  end

  # Starts the command in a separate process group in the background. Returns its pid.
  def start(project, *options, command: "install", log: project.path("log"), **env)
    root = File.expand_path("../..", __dir__)
    environment = project.env.merge(env.transform_keys(&:to_s))
    Process.spawn(environment, "ruby", "--disable-gems", "-I#{root}/lib", "#{root}/exe/spate", command, *options,
                  chdir: project.folder, in: File::NULL, %i[out err] => log, pgroup: true)
  end

  # Process::Status of a process that must end.
  def wait(pid, patience = PATIENCE)
    Timeout.timeout(patience) { Process.wait2(pid).last }
  rescue Timeout::Error
    Process.kill(:KILL, -pid)
    Process.wait(pid)
    flunk "no end after #{patience} s"
  end

  private

  def plain(number)
    files = Array.new(4 + (number * 9)) { |i| ["lib/plain#{number}/#{i}.rb", "# #{i} of #{number}\n" * (i + 1)] }.to_h
    { files: { "lib/plain#{number}.rb" => "PLAIN = #{number}\n", **files },
      executables: number.even? ? ["tool#{number}"] : [],
      dependencies: number.zero? ? {} : { "plain#{number - 1}" => ">= 1" } }
  end
end
