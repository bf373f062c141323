# frozen_string_literal: true

module Spate
  module Build
    class Failure
      # Parses RubyGems' log of a failed build: steps, each with `current directory:`, a command and its output,
      # followed by the reason of the failure. Also contains the log of mkmf's probes.
      class Log
        STEP = /^current directory: (?<folder>.*)\n(?<command>.*)\n/
        REASON = /(?:failed, |failed: ?)?(exit code \d+|uncaught signal \d+)/

        # text: all of gem_make.out, or the output of the build process. probes: all of mkmf.log.
        attr_reader :text, :probes

        # printed: the output of the build process, used if there is no gem_make.out.
        def self.read(job, printed)
          made = File.join(job.extension_dir, "gem_make.out")
          text = Trace::Content.of(made) || printed
          folders = [job.extension_dir, *Dir.glob(File.join(job.gem_dir, "**/"))]
          probes = folders.map { |folder| File.join(folder, "mkmf.log") }.find { |path| File.file?(path) }
          new(text, probes ? Trace::Content.of(probes) : "")
        end

        def initialize(text, probes = "")
          @text = readable(text)
          @probes = readable(probes)
        end

        # The failed command as shell text, or nil.
        def command = last_step&.[](:command)&.strip

        # The output of the failed command.
        def output = last_step ? last_step.post_match : text

        # "exit code 2"
        def reason = text.lines.last(5).join[REASON, 1]

        # Whether the gem's configuration failed, not its compilation.
        def configuring? = command.to_s.match?(/extconf|mkrf_conf|configure|\bcmake\b/)

        private

        def last_step
          @last_step ||= text.match(STEP, text.rindex(STEP) || text.size)
        end

        # Removes escape sequences and invalid characters, because the text will be printed on a terminal.
        def readable(bytes)
          text = bytes.dup.force_encoding(Encoding::UTF_8).scrub("?")
          text.gsub(/\e\[[\d;?]*[A-Za-z]/, "").gsub(/[^\n\t[:print:]]/, "")
        end
      end

      # Stores the logs of failed builds. A build may print its whole environment, including tokens, so only the user
      # who ran the build may read its log, even in a shared store.
      module Kept
        FOLDER = "logs"
        MODE = 0o700

        module_function

        # Path of the log; nil if it cannot be written.
        def write(store, name, text)
          return unless store&.writable?

          folder = store.make(store.path(FOLDER))
          # In a team's store, all members write logs to this folder.
          File.chmod(MODE, folder) if store.owner && File.owned?(folder)
          path = File.join(folder, "#{name}.log")
          Util::Files.write(path, text, permissions: 0o600)
          path
        rescue SystemCallError, Store::Error
          nil
        end
      end
    end
  end
end
