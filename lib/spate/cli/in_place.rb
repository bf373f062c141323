# frozen_string_literal: true

module Spate
  module CLI
    # Writes the record by which the native front end (core/front/in_place.c) answers a command without Ruby.
    #
    # A command that changes nothing is a function of what it looks at. So a process in the background repeats it under
    # the tracer, and records its output and each path that it looked at: inode, type, owner, and what else of the path
    # may matter. Nothing here names a setting, a file or a variable that a command depends on.
    class InPlace
      autoload :Marks, "spate/cli/in_place/marks"
      autoload :Record, "spate/cli/in_place/recorder"
      autoload :Recorder, "spate/cli/in_place/recorder"
      autoload :Template, "spate/cli/in_place/recorder"
      autoload :Texts, "spate/cli/in_place/marks"

      FOLDER = "in-place"
      SCRIPT = File.expand_path("in_place/script.rb", __dir__)
      # In the environment of the repeated command.
      MARK = "SPATE_IN_PLACE"
      # Seconds between two attempts: after a record, after a reason that may be gone, and after others, which last.
      PAUSE = 10
      RETRY_PAUSE = 60
      LONG_PAUSE = 600
      DAY = 86_400
      LAUNCHER = "spate-ruby"
      # Variables of terminals, sessions and shells, which differ in each window.
      SESSION = %w[_ SHLVL PWD OLDPWD TERM TERM_* COLORTERM COLUMNS LINES LS_COLORS WINDOWID TMUX TMUX_PANE STY
                   GPG_TTY SSH_* XDG_SESSION_* NO_COLOR].freeze

      # For a command that has succeeded, and has changed nothing. context: Command::Context. folders: of which times
      # count too, such as the bundle's. Returns true if a process was started.
      def self.start(context, folders)
        return if File.basename($PROGRAM_NAME) != LAUNCHER || context.terminal.verbose?

        store, env = context.store.keeper, context.env
        return if store.nil? || env.key?(MARK)

        new(store.path(FOLDER), folders, ARGV, env).start do |folder|
          !Util::StorePlace.distrust(store.make(folder), env, group: false)
        end
      end

      # folder: of the records. words: of the command line, without the program.
      def initialize(folder, folders, words, env)
        @folder = folder
        @directory = Dir.pwd
        @path = File.join(folder, InPlace.key(@directory, env["BUNDLE_GEMFILE"], [launcher, *words]))
        @folders = folders
        @words = words
        @env = env
      end

      # As name_record in core/front/in_place.c. words: the launcher's path first, since each Ruby has its own.
      def self.key(directory, gemfile, words)
        Native.content_hash(nil, [directory, gemfile, *words].map { |text| "#{text}\0".b }.join)
      end

      # Those that no program has read. A Gemfile may depend on any.
      def self.ignored(trace)
        return [] if trace.unhooked.any?

        SESSION.reject { |word| trace.names.any? { |name| File.fnmatch(word, name) } }
      end

      # Shortens the pause after a reason to RETRY_PAUSE.
      def self.wait_less(path)
        time = Time.now - LONG_PAUSE + RETRY_PAUSE
        File.utime(time, time, path)
      rescue SystemCallError
        nil # no pause
      end

      # The block makes the folder of the records, and returns whether to trust it.
      def start
        return if recent?

        require "spate/boot/entry"
        return if ::Spate::Boot::Background.forbidden(@env) || !yield(@folder)

        options = ::Spate::Boot::Background::RubyOptions.load_path.flat_map { |place| ["-I", place] }
        command = [Util::Ruby.path, "--disable-gems", *options, SCRIPT, launcher, @path,
                   @directory, @folders.size.to_s, *@folders, *@words]
        File.open(File::NULL, "w") do |null|
          Native.start_apart(command, @env.to_h.map { |pair| pair.map(&:b).join("=") }, null.fileno)
        end
        true
      rescue SystemCallError
        nil # the next command tries again
      end

      private

      def launcher = File.expand_path($PROGRAM_NAME)

      # Whether the last attempt, which left a record or the reason, was a short time ago.
      def recent?
        stat = File.lstat(@path)
        pause = stat.size < Record::HEADER ? LONG_PAUSE : PAUSE
        stat.mtime.between?(Time.now - pause, Time.now + DAY) # later if the clock was wrong
      rescue SystemCallError
        false
      end
    end
  end
end
