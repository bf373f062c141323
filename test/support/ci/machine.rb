# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "timeout"

module CI
  # A step that failed, with what was printed so far.
  class Failed < StandardError; end

  # What a page of docs/ has that its reader is to do. Only what is in it runs; what its keys mean to the real service
  # is said in Workflow and Pipeline, and what these do not know is an ArgumentError.
  #
  # A machine for one job: a folder with an empty home, and no variable but those of the service and the recipe.
  class Machine
    ROOT = File.expand_path("../../..", __dir__)
    # Seconds for one script.
    PATIENCE = 150
    # Of the machine that runs the tests: what an image has, or a runner.
    SAME = %w[LANG LC_ALL LC_CTYPE].freeze
    IMAGE = { "SPATE_BOOT_BACKGROUND" => "0", "SPATE_NO_OWN_CODE" => "1", "BUNDLE_SILENCE_ROOT_WARNING" => "true",
              "BUNDLE_VERSION" => "system", "NO_COLOR" => "1" }.freeze

    # What is on its PATH as well: Spate from this checkout, and a `gem` that can do nothing but install it.
    def self.programs(folder)
      FileUtils.mkdir_p(folder)
      Spate::CLI::Setup::Launcher.new(ruby: RbConfig.ruby, lib: "#{ROOT}/lib").write("#{folder}/spate")
      script(folder, "gem", "[ \"$*\" = 'install spate' ] || { echo \"gem $*: not here\" >&2; exit 1; }")
      folder
    end

    def self.script(folder, name, text)
      File.write("#{folder}/#{name}", "#!/bin/sh\n#{text}\n")
      File.chmod(0o755, "#{folder}/#{name}")
    end

    # What was printed so far, by all steps.
    attr_reader :said
    # Where the repository is checked out.
    attr_reader :work

    # folder: made here. programs: see Machine.programs. env: of the image.
    def initialize(folder, programs:, env: {})
      @folder = folder
      @work = "#{folder}/checkout"
      FileUtils.mkdir_p([home, temporary, work])
      @env = { **ENV.to_h.slice(*SAME), **IMAGE, "HOME" => home, "TMPDIR" => temporary,
                                                 "PATH" => "#{programs}:#{ENV.fetch("PATH")}", **env }
      @said = +""
    end

    def home = "#{@folder}/home"
    def temporary = "#{@folder}/tmp"

    def check_out(repository) = FileUtils.cp_r("#{repository}/.", work)

    # Yields the process' id where a block is given, which may end it. Raises Failed.
    def run(script, shell: %w[bash -e -o pipefail], env: {})
      output, status = start(script, shell, @env.merge(env)) { |pid| yield pid if block_given? }
      @said << output
      raise Failed, "#{script}\n#{@said}" unless status.success?
    end

    private

    def start(script, shell, env)
      options = { chdir: work, unsetenv_others: true, pgroup: true }
      Open3.popen2e(env, *shell, "-c", script, **options) do |input, out, waiting|
        input.close
        yield waiting.pid
        [Timeout.timeout(PATIENCE) { out.read }, waiting.value]
      ensure
        stop(waiting) if waiting.alive?
      end
    end

    def stop(waiting)
      Process.kill(:KILL, -waiting.pid)
    rescue Errno::ESRCH
      nil # it has just ended
    end
  end
end
