# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # `spate boot build`: builds the missing compile caches of gems, and the application's compile cache. The latter
      # contains the load-path cache, the Bundler replay, and the files that the last boots loaded. The Ruby files in a
      # given folder are added even if no boot has loaded them.
      class Build < Subcommand
        # Building the compile caches failed.
        class Failed < Error
          EXIT_CODE = 9

          def initialize(details, hint: nil)
            super("compile caches were not built", details: details, hint: hint)
          end
        end

        # The maximum time to wait for another builder (seconds).
        PATIENCE = 120
        KIND = "spate boot build"
        LESS = "if memory ran out (see `dmesg`), try --jobs 1; `spate boot status` shows the existing compile caches"

        def run
          refuse
          record_loaded_files(files)
          report = build or raise Failed.new(["the builder process died"], hint: LESS)

          json? ? json.call(event: :compile_cache, **report) : print_report(report)
          raise Failed.new(report[:warnings], hint: LESS) if report[:warnings].any? && !report[:boot] && !compile_cache?

          0
        end

        private

        def refuse
          raise Failed.new([TEMPORARY], hint: ::Spate::Store::Temporary::HINT) if context.temporary?

          reason = caches.refusal
          raise Failed.new([reason], hint: "run `spate boot clear --all`, then `chmod go-w` the folder") if reason
          return if caches.writable?(context.env)

          raise Failed.new(["#{caches.folder} is not writable"],
                           hint: "unset SPATE_READONLY, or use --store DIR")
        end

        # Absolute paths of the Ruby files in the given folders. An operand may also be a file.
        def files
          operands.flat_map do |operand|
            path = File.expand_path(operand)
            File.exist?(path) or raise UsageError.new("#{operand} does not exist in #{Dir.pwd}", hint: without_missing)

            File.directory?(path) ? Dir.glob("#{path}/**/{*.rb,*.rake,Rakefile}").sort : [path]
          end.grep_v(exclude)
        end

        # The same command with only the operands that exist.
        def without_missing = ["spate boot build", *operands.select { |operand| File.exist?(operand) }].join(" ")

        # Records the files for the builder, as a boot does.
        def record_loaded_files(files)
          return if files.empty?

          caches.make
          ::Spate::Boot::Background::LoadedFiles.write(caches.recording_path(location), KIND, files)
        end

        # Only one builder per application runs at a time. A running builder may not have read the new list of files, so
        # this waits until it has finished and starts another one.
        def build
          limit = Util.now + PATIENCE
          loop do
            report = child
            return report unless report && report[:busy] && Util.now < limit

            sleep 0.2
          end
        end

        def child
          jobs = values[:jobs]&.clamp(1, ::Spate::CompileCache::Compiler::JOBS)
          ::Spate::CompileCache::Builder::Child.new(location, caches: caches, env: context.env,
                                                              jobs: jobs, exclude: excluded)
                                               .call { |event| print_event(event) }
        end

        def excluded = values[:exclude] ? [exclude.source] : []

        def exclude
          @exclude ||= Regexp.new(values[:exclude] || "(?!)")
        rescue RegexpError => e
          raise UsageError.new("--exclude: #{e.message}", hint: "spate boot build --exclude 'db/.*\\.rb'")
        end

        def compile_cache? = File.exist?(caches.application_path(location))

        def print_event(event)
          return json.call(event) if json?
          return terminal.warning(event[:message]) if event[:event] == :warning

          terminal.info event[:path] if terminal.verbose?
        end

        def print_report(report)
          gems = [("#{Units.count(report[:built], "gem")} compiled" if report[:built].positive?),
                  ("#{Units.count(report[:reused], "gem")} unchanged" if report[:reused].positive?)]
          terminal.info "#{gems.compact.push("#{Units.count(report[:compiled], "file")} compiled, " \
                                             "#{report[:copied]} copied").join(", ")}: " \
                        "#{Units.bytes(report[:bytes])} in #{Units.seconds(report[:seconds])}"
          return unless terminal.verbose? && report[:warned].positive?

          terminal.info "#{Units.count(report[:warned], "file")} left to Ruby, since compiling them prints warnings"
        end
      end
    end
  end
end
