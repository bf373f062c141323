# frozen_string_literal: true

require "fileutils"
require "open3"

# The newest versions of npm, pnpm, bun and yarn, and a Node.js that runs all of them, in a separate folder. Tests
# compare Spate's node_modules with theirs. bin/setup runs this file to download them with this machine's npm. If a test
# requires this file, they come first on its PATH.
module NpmTools
  HOME = File.expand_path("../../tmp/npm-tools", __dir__)
  # The oldest Node.js that pnpm 11 supports. It starts in a third of the time of Debian's, and caches compiled code.
  NODE = "22"
  # yarn 1, whose result for a lockfile has not changed in years.
  NAMES = ["npm", "pnpm", "bun", "yarn@1", "node@#{NODE}"].freeze

  module_function

  # The path of a tool, such as "pnpm"; nil if it was not downloaded.
  def path(name)
    path = "#{HOME}/node_modules/.bin/#{name}"
    path if File.executable?(path)
  end

  # Whether a program on the PATH runs. Caches the result.
  def runs?(program)
    @runs ||= {}
    @runs.fetch([program, ENV.fetch("PATH")]) do |key|
      @runs[key] = system(program, "--version", out: File::NULL, err: File::NULL) || false
    end
  end

  # A PATH that begins with the folder of all tools.
  def search_path(path = ENV.fetch("PATH")) = "#{HOME}/node_modules/.bin:#{path}"

  # Raises RuntimeError.
  def fetch
    install(HOME, NAMES) unless NAMES.all? { |name| path(name[/\A\w+/]) }
  rescue Errno::ENOENT
    raise "npm is missing"
  end

  # The path of an exact version, downloaded on first use. Raises RuntimeError.
  def pinned(name, version, program: name)
    home = "#{HOME}/pinned/#{name}-#{version}"
    path = "#{home}/node_modules/.bin/#{program}"
    alone(home) { install(home, ["#{name}@#{version}"]) unless File.executable?(path) }
    path
  end

  # A node_modules with this library, downloaded on first use. Raises RuntimeError.
  def library(name)
    home = "#{HOME}/libraries/#{name}"
    alone(home) { install(home, [name]) unless File.directory?("#{home}/node_modules/#{name}") }
    "#{home}/node_modules"
  rescue Errno::ENOENT
    raise "npm is missing"
  end

  # Runs the block under a lock, because concurrent test programs may download the same tool.
  def alone(home)
    FileUtils.mkdir_p(home)
    File.open("#{home}/lock", File::RDWR | File::CREAT) do |lock|
      lock.flock(File::LOCK_EX)
      yield
    end
  end

  # Runs install scripts: the binaries of bun and pnpm are in separate packages, and a script copies them over a stub.
  def install(home, names)
    FileUtils.mkdir_p(home)
    File.write("#{home}/package.json", "{\"private\":true}\n")
    output, status = Open3.capture2e("npm", "install", "--no-audit", "--no-fund", "--no-save", "--foreground-scripts",
                                     "--dangerously-allow-all-scripts", *names, chdir: home)
    raise "npm could not install #{names.join(", ")}:\n#{output}" unless status.success?
  end
  private_class_method :install, :alone
end

ENV["PATH"] = NpmTools.search_path if NpmTools.path("npm")

if $PROGRAM_NAME == __FILE__
  begin
    NpmTools.fetch
  rescue StandardError => e
    warn "bin/setup: tests against npm, pnpm, bun and yarn are left out: #{e.message.lines.last(2).join.strip}"
  end
end
