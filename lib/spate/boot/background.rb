# frozen_string_literal: true

module Spate
  module Boot
    # Starts a builder as a daemon in its own session, at low priority, without the descriptors or environment of the
    # booting program. At most one builder works for an application at a time, for a limited time; its failures are in
    # its log. Core Ruby only, because this file is part of boots that have files to report.
    module Background
      {
        Attempts: "attempts", BuilderArguments: "builder_arguments", LoadedFiles: "loaded_files",
        RubyOptions: "builder_arguments"
      }.each { |name, file| autoload name, "#{FOLDER}/background/#{file}" }

      # Run by a separate Ruby. Takes BuilderArguments.
      SCRIPT = "#{LIBRARY}/spate/compile_cache/builder/script.rb".freeze
      # The size in bytes after which the log starts over.
      LOG_LIMIT = 64 << 10

      class << self
        # location: responds to root, gemfile and lockfile. recorded: the value of Native::Loader.recorded; nil after an
        # install. renew: whether to look at the bundle again. env: the user's environment before the program changed
        # it, used to build the Bundler replay. load_path: its value at the end of the boot. whole: see
        # CompileCache::Recording#with. team: whether to query a team's cache.
        # Returns whether a builder was started. If none may be started, the boot is recorded for a builder that the
        # user starts; if the last ones failed, for the next builder.
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
          false # disk full or too many processes: the next boot tries again
        end

        # The reason why no builder may be started (String), or nil.
        def forbidden(env)
          asked = env["SPATE_BOOT_BACKGROUND"].to_s
          return "SPATE_BOOT_BACKGROUND is #{asked}" if %w[0 false].include?(asked)
          return "SPATE_READONLY is set" if Switches.on?(env, "SPATE_READONLY")
          return "CI is set" if asked.empty? && Switches.on?(env, "CI")

          adopted
        end

        # The reason why a builder would become a child of a program, or nil. Orphans are adopted by process 1 or by a
        # subreaper.
        def adopted
          return "this process adopts orphans, so a builder would become its child" if Native.adopts_orphans?

          # A process 1 of another user belongs to the system and cannot be inspected.
          "process 1 is a Ruby program, so a builder would become its child" if File.identical?("/proc/1/exe", ruby)
        end

        private

        # Whether compile caches are built with `spate boot build`, which then needs the record of this boot.
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
