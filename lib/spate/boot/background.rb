# frozen_string_literal: true

module Spate
  module Boot
    # Starts a builder: a low-priority daemon in a separate session that does not inherit the program's file descriptors
    # or environment. Only one builder per application runs at a time, and its run time is limited. It writes errors to
    # its log. Uses only core Ruby, because this file is loaded during boots.
    module Background
      {
        Attempts: "attempts", BuilderArguments: "builder_arguments", LoadedFiles: "loaded_files",
        RubyOptions: "builder_arguments"
      }.each { |name, file| autoload name, "#{FOLDER}/background/#{file}" }

      # The builder's script. A separate Ruby process runs it with BuilderArguments.
      SCRIPT = "#{LIBRARY}/spate/compile_cache/builder/script.rb".freeze
      # The log is truncated when it is larger than this (bytes).
      LOG_LIMIT = 64 << 10

      class << self
        # location: responds to root, gemfile and lockfile. recorded: the value of Native::Loader.recorded; nil after an
        # install. renew: whether to update the record of the bundle. env: the user's environment before the program
        # changed it, used to build the Bundler replay. load_path: its value at the end of the boot. whole: see
        # CompileCache::Recording#with. team: whether to query a team's cache. Returns whether a builder was started. If
        # builders are forbidden or the last ones failed, only records the boot for a later builder.
        def start(location, recorded = nil, caches:, renew: recorded.nil?, env: ENV, load_path: $LOAD_PATH, whole: true,
                  team: false)
          forbidden = forbidden(env)
          return false if !caches.writable?(env) || (forbidden && !by_hand?(caches, location))

          caches.make
          write_loaded_files(caches, location, recorded.map(&:first) + folders(load_path), whole) if recorded
          attempts = Attempts.new(caches.attempts_path(location))
          return false if forbidden || (recorded && attempts.wait.positive?)

          attempts.add
          spawn(caches, location, env, renew: renew, team: team)
        rescue SystemCallError
          false # disk full or too many processes: the next boot tries again
        end

        # Returns the reason (String) why builders are forbidden, or nil.
        def forbidden(env)
          asked = env["SPATE_BOOT_BACKGROUND"].to_s
          return "SPATE_BOOT_BACKGROUND is #{asked}" if %w[0 false].include?(asked)
          return "SPATE_READONLY is set" if Switches.on?(env, "SPATE_READONLY")
          return "CI is set" if asked.empty? && Switches.on?(env, "CI")

          adopted
        end

        # Returns the reason (String) why a builder would become a child of a program, or nil. A daemon is reparented to
        # a subreaper or to process 1.
        def adopted
          return "this process adopts orphans, so a builder would become its child" if Native.adopts_orphans?

          # If process 1 belongs to another user, it is the system's init, and its /proc/1/exe is not readable.
          "process 1 is a Ruby program, so a builder would become its child" if File.identical?("/proc/1/exe", ruby)
        end

        private

        # Whether to record this boot for a later `spate boot build`, although no builder may start.
        def by_hand?(caches, location)
          File.exist?(caches.application_path(location)) && !LoadedFiles.full?(caches.recording_path(location))
        end

        def ruby
          require "#{LIBRARY}/spate/util"
          Util::Ruby.path
        end

        def write_loaded_files(caches, location, paths, whole)
          LoadedFiles.write(caches.recording_path(location), Session.kind, paths, whole: whole)
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
