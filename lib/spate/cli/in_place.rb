# frozen_string_literal: true

module Spate
  module CLI
    # Starts a background process that records the output of a read-only command, so that the native front end
    # (core/front/in_place.c) can print it without starting Ruby.
    #
    # The output of a read-only command depends only on the files and variables that it reads. The background process
    # repeats the command under the tracer, and records the output and each path that was accessed, with inode, type,
    # owner and, if needed, size and times. So no list of each command's inputs has to be maintained.
    class InPlace
      autoload :Marks, "spate/cli/in_place/marks"
      autoload :Record, "spate/cli/in_place/recorder"
      autoload :Recorder, "spate/cli/in_place/recorder"
      autoload :RecordReader, "spate/cli/in_place/record_reader"
      autoload :Template, "spate/cli/in_place/recorder"
      autoload :Texts, "spate/cli/in_place/marks"

      FOLDER = "in-place"
      SCRIPT = File.expand_path("in_place/script.rb", __dir__)
      # Set in the environment of the repeated command.
      MARK = "SPATE_IN_PLACE"
      # Seconds between two attempts: after a success, after a temporary failure, and after a permanent failure.
      PAUSE = 10
      RETRY_PAUSE = 60
      LONG_PAUSE = 600
      DAY = 86_400
      LAUNCHER = "spate-ruby"
      # Variables of terminals, sessions and shells, which have a different value in each window.
      SESSION = %w[_ SHLVL PWD OLDPWD TERM TERM_* COLORTERM COLUMNS LINES LS_COLORS WINDOWID TMUX TMUX_PANE STY
                   GPG_TTY SSH_* XDG_SESSION_* NO_COLOR].freeze

      # Called after a command that succeeded and changed nothing. context: Command::Context. folders: folders, such as
      # the bundle's, below which mtimes of folders are compared too. Returns true if a process was started.
      def self.start(context, folders)
        return if File.basename($PROGRAM_NAME) != LAUNCHER || context.terminal.verbose?

        store, env = context.store.writable_store, context.env
        return if store.nil? || env.key?(MARK)

        new(store.path(FOLDER), folders, ARGV, env).start do |folder|
          !Util::StorePlace.distrust(store.make(folder), env, group: false)
        end
      end

      # folder: the folder of the records. words: the command line without the program.
      def initialize(folder, folders, words, env)
        @folder = folder
        @directory = Dir.pwd
        @path = File.join(folder, InPlace.key(@directory, env["BUNDLE_GEMFILE"], [launcher, *words]))
        @folders = folders
        @words = words
        @env = env
      end

      # Must match name_record in core/front/in_place.c. words: the command line after the path of the launcher, which
      # differs for each Ruby.
      def self.key(directory, gemfile, words)
        Native.content_hash(nil, [directory, gemfile, *words].map { |text| "#{text}\0".b }.join)
      end

      # The words of SESSION that match no variable read by the traced programs. A Gemfile may read any variable.
      def self.ignored(trace)
        return [] if trace.unhooked.any?

        SESSION.reject { |word| trace.names.any? { |name| File.fnmatch(word, name) } }
      end

      # Sets an earlier mtime, which shortens the pause after a failure to RETRY_PAUSE.
      def self.shorten_pause(path)
        time = Time.now - LONG_PAUSE + RETRY_PAUSE
        File.utime(time, time, path)
      rescue SystemCallError
        nil # the file is missing, so there is no pause
      end

      # Starts the process unless the last attempt is recent. The block creates the folder of the records and returns
      # whether it can be trusted.
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

      # Whether the last attempt was too recent. Each attempt writes a record or the reason of the failure.
      def recent?
        stat = File.lstat(@path)
        pause = stat.size < Record::HEADER ? LONG_PAUSE : PAUSE
        stat.mtime.between?(Time.now - pause, Time.now + DAY) # mtimes in the future are ignored: the clock was wrong
      rescue SystemCallError
        false
      end
    end
  end
end
