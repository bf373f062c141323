# frozen_string_literal: true

require "json"
require "open3"

module Spate
  # Evaluates many ranges with npm's own semver in one process.
  module NodeSemver
    SCRIPT = <<~JS
      const semver = require(process.argv[1])
      const asked = JSON.parse(require("fs").readFileSync(0, "utf8"))
      console.log(JSON.stringify(asked.map(([version, range, loose, includePrerelease]) =>
        semver.satisfies(version, range, { loose, includePrerelease }))))
    JS

    # Returns the folder of npm's semver, or nil without npm.
    def self.folder
      folders = ENV.fetch("PATH").split(File::PATH_SEPARATOR)
      npm = folders.map { |folder| File.join(folder, "npm") }.find { |path| File.executable?(path) }
      found = npm && File.expand_path("../node_modules/semver", File.dirname(File.realpath(npm)))
      found if found && File.directory?(found)
    end

    # questions: [[version, range, loose, prereleases], ...]. Returns [true or false, ...].
    def self.ask(questions)
      answer, status = Open3.capture2("node", "-e", SCRIPT, folder, stdin_data: JSON.generate(questions))
      raise "node failed" unless status.success?

      JSON.parse(answer)
    end
  end
end
