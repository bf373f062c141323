# frozen_string_literal: true

require "fileutils"
require "open3"

# npm, pnpm, bun and yarn in their newest versions, and a Node.js that runs all of them, in a separate folder: tests
# compare Spate's node_modules with theirs. bin/setup runs this file to fetch them, with the machine's npm; a test that
# requires it has them first on its PATH.
module NpmTools
  HOME = File.expand_path("../../tmp/npm-tools", __dir__)
  # The oldest Node.js that pnpm 11 accepts. It starts in a third of the time of Debian's, and caches compiled code.
  NODE = "22"
  # yarn's first line is 1; its result for a lockfile has not changed in years.
  NAMES = ["npm", "pnpm", "bun", "yarn@1", "node@#{NODE}"].freeze

  module_function

  # The path of one of them, e.g. "pnpm"; nil if it could not be fetched.
  def path(name)
    path = "#{HOME}/node_modules/.bin/#{name}"
    path if File.executable?(path)
  end

  # Whether a program of the PATH runs; asked once.
  def runs?(program)
    @runs ||= {}
    @runs.fetch([program, ENV.fetch("PATH")]) do |key|
      @runs[key] = system(program, "--version", out: File::NULL, err: File::NULL) || false
    end
  end

  # A PATH with all of them in front.
  def search_path(path = ENV.fetch("PATH")) = "#{HOME}/node_modules/.bin:#{path}"

  # Raises RuntimeError.
  def fetch
    install(HOME, NAMES) unless NAMES.all? { |name| path(name[/\A\w+/]) }
  rescue Errno::ENOENT
    raise "npm is missing"
  end

  # The exact version of a project, fetched on first use. Raises RuntimeError.
  def pinned(name, version, program: name)
    home = "#{HOME}/pinned/#{name}-#{version}"
    path = "#{home}/node_modules/.bin/#{program}"
    alone(home) { install(home, ["#{name}@#{version}"]) unless File.executable?(path) }
    path
  end

  # The node_modules with a library, fetched on first use. Raises RuntimeError.
  def library(name)
    home = "#{HOME}/libraries/#{name}"
    alone(home) { install(home, [name]) unless File.directory?("#{home}/node_modules/#{name}") }
    "#{home}/node_modules"
  rescue Errno::ENOENT
    raise "npm is missing"
  end

  # Test programs run concurrently, and several may be the first to fetch.
  def alone(home)
    FileUtils.mkdir_p(home)
    File.open("#{home}/lock", File::RDWR | File::CREAT) do |lock|
      lock.flock(File::LOCK_EX)
      yield
    end
  end

  # Their binaries are in separate packages; bun and pnpm copy them over a stub with a script.
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
