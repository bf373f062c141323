# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "timeout"

module CI
  # A step failed. The message contains the output so far.
  class Failed < StandardError; end

  # Runs the instructions of a page in docs/ and nothing else. Workflow and Pipeline implement the keys of the real
  # services, and raise an ArgumentError for unknown keys.
  #
  # A machine for one job is a folder with an empty home, and only the variables of the service and the recipe.
  class Machine
    ROOT = File.expand_path("../../..", __dir__)
    # Time limit for a script, in seconds.
    PATIENCE = 150
    # Variables of the machine that runs the tests. An image or a runner would set them.
    SAME = %w[LANG LC_ALL LC_CTYPE].freeze
    IMAGE = { "SPATE_BOOT_BACKGROUND" => "0", "SPATE_NO_OWN_CODE" => "1", "BUNDLE_SILENCE_ROOT_WARNING" => "true",
              "BUNDLE_VERSION" => "system", "NO_COLOR" => "1" }.freeze

    # Creates additional programs for its PATH: Spate from this checkout, and a `gem` that can only install Spate.
    def self.programs(folder)
      FileUtils.mkdir_p(folder)
      Spate::CLI::Setup::Launcher.new(ruby: RbConfig.ruby, lib: "#{ROOT}/lib").write("#{folder}/spate")
      script(folder, "gem", <<~SH)
        case "$*" in
          "install spate" | "install --no-document spate") ;;
          *) echo "gem $*: not here" >&2; exit 1 ;;
        esac
      SH
      folder
    end

    def self.script(folder, name, text)
      File.write("#{folder}/#{name}", "#!/bin/sh\n#{text}\n")
      File.chmod(0o755, "#{folder}/#{name}")
    end

    # The output of all steps so far.
    attr_reader :said
    # The folder of the checked out repository.
    attr_reader :work

    # folder: created here. programs: see Machine.programs. env: variables of the image.
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

    # Runs a script. Yields its process ID to the block, which may kill it. Raises Failed if the script fails.
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
      nil # it has already exited
    end
  end
end
