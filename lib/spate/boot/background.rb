# frozen_string_literal: true

module Spate
  module Boot
    # Starts a builder as a daemon: in its own session, at low priority, without descriptors or environment of the
    # booting program, which is not affected. One builder works for an application at a time, for a bounded time;
    # failures are in its log. Core Ruby only: it is part of a boot with files to report.
    module Background
      {
        Attempts: "attempts", BuilderArguments: "builder_arguments", LoadedFiles: "loaded_files",
        RubyOptions: "ruby_options"
      }.each { |name, file| autoload name, "#{FOLDER}/background/#{file}" }

      # Run by a separate Ruby; it takes BuilderArguments.
      SCRIPT = "#{LIBRARY}/spate/compile_cache/builder/script.rb".freeze
      # Bytes after which the log starts over.
      LOG_LIMIT = 64 << 10

      class << self
        # location: answers root, gemfile and lockfile. recorded: as Native::Loader.recorded has it; nil after an
        # install. renew: whether the bundle is looked at again. env: the user's, before the program changed it, since
        # the Bundler replay is made with it. load_path: as it is at the end of the boot. whole: see
        # CompileCache::Recording#with.
        # team: whether a team's cache is asked.
        # Returns whether a builder was started. If none may be, the boot is recorded for one that is started by hand,
        # and if the last ones failed, for the next one.
        def start(location, recorded = nil, caches:, renew: recorded.nil?, env: ENV, load_path: $LOAD_PATH, whole: true,
                  team: false)
          forbidden = forbidden(env)
          return false if !caches.writable?(env) || (forbidden && !by_hand?(caches, location))

          caches.make
          leave(caches, location, recorded.map(&:first) + folders(load_path), whole) if recorded
          attempts = Attempts.new(caches.attempts_path(location))
          return false if forbidden || (recorded && attempts.wait.positive?)

          attempts.add
          spawn(caches, location, env, renew: renew, team: team)
        rescue SystemCallError
          false # a full disk, a limit on processes: the next boot tries again
        end

        # Why no builder may be started (String), nil if it may.
        def forbidden(env)
          asked = env["SPATE_BOOT_BACKGROUND"].to_s
          return "SPATE_BOOT_BACKGROUND is #{asked}" if %w[0 false].include?(asked)
          return "SPATE_READONLY is set" if Switches.on?(env, "SPATE_READONLY")
          return "CI is set" if asked.empty? && Switches.on?(env, "CI")

          adopted
        end

        # Why a builder would become a child of a program after all: orphans are adopted by process 1, or by a
        # subreaper.
        def adopted
          return "orphans become this process' children, and so would it" if Native.adopts_orphans?

          # Another user's process 1 belongs to the system, and cannot be inspected.
          "process 1 is a Ruby program, and it would become its child" if File.identical?("/proc/1/exe", ruby)
        end

        private

        # Whether compile caches are made with `spate boot build`, which then needs this boot's record.
        def by_hand?(caches, location)
          File.exist?(caches.application_path(location)) && !LoadedFiles.full?(caches.recording_path(location))
        end

        def ruby
          require "#{LIBRARY}/spate/util"
          Util::Ruby.path
        end

        def leave(caches, location, paths, whole)
          LoadedFiles.leave(caches.recording_path(location), Session.kind, paths, whole: whole)
        end

        def folders(load_path)
          load_path.filter_map { |path| "#{path}/" if path.is_a?(String) && path.start_with?("/") && path != LIBRARY }
        end

        def spawn(caches, location, env, **asked)
          require "#{LIBRARY}/spate/util"
          clean = Util::Environment.clean(env).except("SPATE_LOG")
          words = [ruby, *RubyOptions.current, SCRIPT, *BuilderArguments.for(location, caches, **asked)]
          open_log(caches.log_path(location)) do |log|
            Native.start_apart(words, clean.map { |pair| pair.map(&:b).join("=") }, log.fileno)
          end
        end

        def open_log(path, &block)
          flags = File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW
          flags |= File::TRUNC if File.size?(path).to_i > LOG_LIMIT
          File.open(path, flags, 0o600, &block)
        end
      end
    end
  end
end
