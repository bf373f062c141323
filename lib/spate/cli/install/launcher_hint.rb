# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # The hint about `spate setup` after an install, shown once per user and store.
      class LauncherHint
        # Where the store records that it was shown.
        KIND = "hints"

        # store: Store, or nil if it is not writable. env: {name => value}
        def initialize(store, terminal, env)
          @store = store
          @terminal = terminal
          @env = env
        end

        # Shows nothing if the store cannot record that it was shown.
        def show
          return if @store.nil? || set_up? || @store.read(KIND, key)

          folder = Setup.folder(@env) or return
          return unless @store.write(KIND, key, folder)

          @terminal.hint("`spate setup` installs a launcher in #{folder} that starts every command faster")
        end

        private

        def key = "setup-#{Process.euid}"

        def set_up?
          paths = @env["PATH"].to_s.split(File::PATH_SEPARATOR).map { |folder| File.join(folder, "spate") }
          first = paths.find { |path| File.file?(path) && File.executable?(path) }
          first && Setup::Launcher.own?(first)
        end
      end
    end
  end
end
