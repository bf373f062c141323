# frozen_string_literal: true

require "test_helper"

# A project, and a PATH with fake programs, which log their arguments to a file.
module JSToolsCase
  def setup
    @root = File.realpath(Dir.mktmpdir)
    @bin = "#{@root}/path"
    @home = "#{@root}/home"
    [@bin, @home, "#{@root}/app"].each { |folder| Dir.mkdir(folder) }
    Dir.mkdir(tools = "#{@root}/tools")
    %w[mkdir touch sleep seq].each { |name| File.symlink("/bin/#{name}", "#{tools}/#{name}") }
    @env = { "PATH" => "#{@bin}:#{tools}", "HOME" => @home }
  end

  def teardown
    FileUtils.rm_rf(@root)
  end

  def app = "#{@root}/app"

  def write(name, text = "")
    path = File.expand_path(name, app)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    path
  end

  # Creates a fake program. body: a shell script.
  def program(name, body = "")
    path = "#{@bin}/#{name}"
    File.write(path, "#!/bin/sh\necho \"#{name} $*\" >> #{@root}/calls\n#{body}\n")
    File.chmod(0o755, path)
    path
  end

  def calls = File.exist?("#{@root}/calls") ? File.readlines("#{@root}/calls", chomp: true) : []

  def project(lockfile, text = "", package: "{}")
    write("package.json", package)
    write(lockfile, text)
    Spate::JS::Project.find(app, @env)
  end

  def restore(project, **more) = Spate::JS::Tools.restore(project, env: @env, **more)
end
