# frozen_string_literal: true

require "cli/front/front_case"
require "json"
require "support/boot_rails"

# A small Rails application with warm boots, run by the front end.
class WarmCase < Minitest::Test
  # Time limit for a parent, in seconds.
  PATIENCE = 150
  FRONT = Spate::CLI::Setup::FrontEnd
  # The state that the initializer reads. The application prints it.
  STATE = <<~'RUBY'
    STATE = {
      data: File.read("config/data.txt"), listed: Dir.children("config/extra").sort, absent: File.exist?("config/absent.txt"),
      variable: ENV["STATE_VARIABLE"], terminal: ENV["TERM"], link: File.read("config/link"), child: `cat config/child.txt`,
      settings: Rails.application.config_for(:state), umask: File.umask, zone: Time.at(0).hour, library: LIBRARY,
      mode: File.stat("config/data.txt").mode, searched: Dir["config/deep/**/*"].sort
    }
  RUBY
  FILES = {
    "config/initializers/state.rb" => "require_relative '../../lib/library'\n#{STATE}",
    "config/data.txt" => "data", "config/extra/one" => "", "config/target" => "target", "config/child.txt" => "child",
    "config/deep/a/b" => "", "config/state.yml" => "shared:\n  a: 1\n", "lib/library.rb" => "LIBRARY = 1\n"
  }.freeze
  SHOW = "print [STATE, Rails.env, Note.new('a').where.last, ENV['STATE_VARIABLE'], $0, ARGV].inspect"

  def setup
    skip "the front end is not compiled on this system" unless FRONT.compiled
    @app = Spate::BootRails.shared
    FileUtils.rm_rf(Dir.glob("#{store}/{warm,in-place}"))
    FILES.each { |path, text| @app.write(path, text) }
    File.symlink("target", @app.path("config/link")) unless File.symlink?(@app.path("config/link"))
    FileUtils.rm_f([@app.path("config/absent.txt"), @app.path("config/extra/two"), @app.path("config/deep/a/c")])
    @bin = "#{@app.home}/bin"
    result = @app.run(*Spate::SpateCommand.words, "setup", "--dir", @bin)
    assert_equal 0, result.code, result.err
  end

  def teardown
    return unless @app

    spate("warm", "off")
    FILES.each_key { |path| FileUtils.rm_f(@app.path(path)) }
  end

  def store = "#{@app.home}/spate/store/v1"
  def env(more = {}) = { SPATE_WARM: "1", SPATE_BOOT_BACKGROUND: nil, TERM: "dumb" }.merge(more)

  # descriptors: { number => IO }
  def spate(*words, descriptors: {}, **more)
    variables = @app.env(env(more).transform_keys(&:to_s))
    out, err, status = Open3.capture3(variables, "#{@bin}/spate", *words, chdir: @app.folder, stdin_data: "",
                                                                          close_others: true, **descriptors)
    Spate::BootProject::Result.new(out, err, status.exitstatus || status.termsig.to_s)
  end

  def show(**more) = spate("exec", "bin/rails", "runner", SHOW, **more)
  def status = JSON.parse(spate("warm", "status", "--json").out)
  def parents = status.fetch("parents")

  # Boots until a command is forked. The first boots have no compile cache, or one that changes while a parent starts.
  # After an edit, the outdated parent runs until the next one has started.
  def warm_up
    give_up = Time.now + PATIENCE
    until parent_of_command
      found = await_parent(Time.now + 5)
      assert_operator Time.now, :<, give_up, found.to_s
    end
    parents
  end

  # The status as soon as there is a parent, or no process that starts one.
  def await_parent(give_up)
    loop do
      found = status
      return found if found["parents"].any? || (Time.now > give_up && !made?)

      sleep 0.1
    end
  end

  # Whether a process starts a parent.
  def made?
    Dir.glob("#{store}/warm/*.lock").any? do |path|
      File.open(path) { |lock| !lock.flock(File::LOCK_EX | File::LOCK_NB) }
    end
  end

  # The process id of the parent that forked the command, or nil if it booted.
  def parent_of_command(**more)
    parent = spate("exec", "bin/rails", "runner", "print Process.ppid", **more).out.to_i
    parents.map { |each| each["pid"] }.find { |pid| pid == parent }
  end
end
