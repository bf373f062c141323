# frozen_string_literal: true

module Spate
  module CLI
    # `spate setup`: installs the launcher and, if it is compiled, the native front end that runs it. In a Rails
    # application it also offers changes to the application's files.
    class Setup < Command
      autoload :Application, "spate/cli/setup/application"
      autoload :Change, "spate/cli/setup/change"
      autoload :Diff, "spate/cli/setup/diff"
      autoload :FrontEnd, "spate/cli/setup/front_end"
      autoload :RailsFiles, "spate/cli/setup/rails_files"
      autoload :Record, "spate/cli/setup/record"
      %i[Launcher LauncherHint].each { |name| autoload name, "spate/cli/setup/launcher" }

      summary "Install a launcher that starts without RubyGems, and add Spate to a Rails application"
      usage "spate setup [--yes | --dry-run] [--dir DIR] [--force]"
      usage "spate setup --undo [--dry-run]"
      option :yes, "--yes", "write all changes to the Rails application without asking"
      option :dry_run, "--dry-run", "print the changes as a diff, and write nothing"
      option :undo, "--undo", "remove the launcher, and restore the application's files"
      option :dir, "--dir", "DIR", "the launcher's folder; default: ~/.local/bin or /usr/local/bin, if on the PATH"
      option :force, "--force", "replace a file that is not Spate's"
      bundle_options
      common_options
      example "spate setup --dry-run", "print what would change in bin/setup, config/boot.rb, Dockerfile and CI"
      note "In a Rails application, if run on a terminal, shows each change and asks before it writes the file.\n" \
           "--undo keeps files that were edited after `spate setup`, and then exits with 2 (docs/rails.md)."
      note "The launcher runs the newest Spate that this Ruby has, also after `gem update spate`. On Linux it is\n" \
           "a native program that starts Ruby only if needed; run `spate setup` again after an update (docs/front.md)."

      class << self
        # The default folder for the launcher. It must not contain another program named `spate`. Prefers a folder that
        # is on the PATH before any other `spate`, then one that is not on the PATH. Returns nil if there is neither.
        def folder(env)
          path = env["PATH"].to_s.split(File::PATH_SEPARATOR)
          first = path.index { |folder| command?(File.join(folder, "spate")) }
          free = candidates(env).select { |folder| writable?(folder) && free?(File.join(folder, "spate")) }
          free.find { |folder| path.index(folder)&.then { |place| first.nil? || place <= first } } ||
            free.find { |folder| !path.include?(folder) }
        end

        def candidates(env)
          home = env["HOME"].to_s
          [home.empty? ? nil : File.join(home, ".local/bin"), "/usr/local/bin"].compact
        end

        private

        def command?(path) = File.file?(path) && File.executable?(path) && !Launcher.own?(path)
        def free?(path) = !File.exist?(path) || Launcher.own?(path)

        def writable?(folder)
          folder = File.dirname(folder) until File.exist?(folder)
          File.writable?(folder)
        end
      end

      def run
        no_operands!
        return undo if values[:undo]

        install_launcher
        application&.run
        0
      end

      private

      def record = @record ||= Record.new(context.store.writable_store)

      def application
        root = Application.root(context)
        Application.new(root, values, terminal, record) if root
      end

      def install_launcher
        folder = values[:dir] ? File.expand_path(values[:dir]) : choose
        paths = %w[spate spate-ruby].map { |name| File.join(folder, name) }
        paths.each { |path| refuse(path) if File.exist?(path) && !Launcher.own?(path) && !values[:force] }
        return (terminal.info("would write #{paths.first}") unless json?) if values[:dry_run]

        make(folder)
        compiled = write(*paths)
        record_launcher(paths)
        print_result(paths.first, folder, compiled)
      end

      # Without a writable store, the launcher is still installed, but --undo cannot find it.
      def record_launcher(paths)
        record.add_launchers(paths)
      rescue Error
        nil
      end

      def undo
        edited = application&.undo.to_a
        remove_launchers unless values[:dry_run]
        return 0 if edited.empty?

        raise UsageError.new("#{edited.join(", ")}: edited after `spate setup`, so kept",
                             hint: "undo your edit and run `spate setup --undo` again, or remove Spate's lines")
      end

      def remove_launchers
        record.launchers.select { |path| Launcher.own?(path) }.each do |path|
          Util::Files.remove(path)
          json? ? json.call(event: :setup_undone, path: path) : terminal.info("removed #{path}")
        end
        record.forget_launchers
      end

      def search_path = env["PATH"].to_s.split(File::PATH_SEPARATOR)

      def choose
        Setup.folder(env) ||
          raise(UsageError.new("none of #{Setup.candidates(env).join(", ")} is unused, writable and before " \
                               "other `spate` commands on the PATH",
                               hint: "spate setup --dir DIR, with a folder early on the PATH"))
      end

      def refuse(path)
        raise UsageError.new("#{path} exists and is not Spate's launcher",
                             hint: "spate setup --dir DIR, with a folder earlier on the PATH; or --force to replace it")
      end

      def make(folder)
        require "fileutils"
        FileUtils.mkdir_p(folder)
      end

      # Writes `path` last, because the old launcher works until then. Returns whether there is a front end.
      def write(path, ruby)
        place = place()
        front = FrontEnd.find(**place.slice(:folders, :lib))
        Launcher.new(ruby: Util::Ruby.path, facts: front&.facts.to_a, **place).write(front ? ruby : path)
        return front.write(path) if front

        Util::Files.remove(ruby) if Launcher.own?(ruby)
        false
      end

      # Arguments of Launcher.new that determine where the launcher finds Spate.
      def place
        lib = File.expand_path("../..", __dir__)
        return { lib: lib } unless File.basename(File.dirname(lib)).match?(/\Aspate-#{Regexp.escape(VERSION)}(?:-|\z)/)

        rubygems = Layout::Rubygems.current(env: env)
        own = File.expand_path("../../..", lib) # the gem folder of the running Spate, e.g. GEM_HOME
        { folders: [own, *rubygems.path].uniq, scope: "#{rubygems.platform}/#{rubygems.extension_api_version}" }
      end

      def print_result(path, folder, compiled)
        on_path = search_path.include?(folder)
        return json.call(event: :launcher, path: path, on_path: on_path, compiled: compiled) if json?

        terminal.info compiled ? "wrote #{path} and spate-ruby beside it" : "wrote #{path}"
        return terminal.hint("put it on the PATH: export PATH=\"#{folder}:$PATH\"") unless search_path.include?(folder)

        hidden_by(path)
      end

      def hidden_by(path)
        first = search_path.map { |folder| File.join(folder, "spate") }.find { |file| File.executable?(file) }
        return if first.nil? || first == path

        terminal.warning("#{first} comes first on the PATH", hint: "move #{File.dirname(path)} before it")
      end
    end
  end
end
