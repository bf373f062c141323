# frozen_string_literal: true

module Spate
  module CLI
    class Setup < Command
      # The script on the PATH that starts Ruby without RubyGems. RubyGems' wrapper loads all of RubyGems to find one
      # folder, which doubles the time of a run with nothing to do. The launcher finds the newest installed Spate each
      # time, so it need not be rewritten when the gem is updated.
      class Launcher
        MARK = "# Spate's launcher"
        # Maximum length of Ruby's path in a shebang line. The kernel limits the line (BINPRM_BUF_SIZE).
        SHEBANG_LENGTH = 100

        # Whether the file was written by Spate, so that it may be replaced.
        def self.own?(path)
          File.open(path, "rb") { |file| file.read(500).to_s.include?(MARK) } || FrontEnd.own?(path)
        rescue SystemCallError
          false
        end

        # ruby: path of Ruby. folders: gem folders to search (Gem.path). scope: the folder of this Ruby under
        # `extensions/`, "x86_64-linux/3.1.0". lib: a fixed folder instead of a search, if Spate runs from a checkout.
        # facts: [[name, value]] for the front end, written as comments.
        def initialize(ruby:, folders: [], scope: nil, lib: nil, facts: [])
          @ruby = ruby
          @folders = folders
          @scope = scope
          @lib = lib
          @facts = facts
        end

        def to_s
          [first_line, "# frozen_string_literal: true", "", "#{MARK}, written by `spate setup`: Ruby without RubyGems.",
           *@facts.map { |name, value| "#:#{name} #{value}" }, "", @lib ? fixed : search, START].join("\n")
        end

        # Replaces the file atomically, because the launcher may be running.
        def write(path)
          Util::Files.write(path, to_s, mode: 0o755)
        end

        START = <<~RUBY
          require "spate"
          code = Spate::CLI.start(ARGV, out: $stdout, err: $stderr, env: ENV)
          exit code unless code == 0 # a program that ended by itself finds no SystemExit in its at_exit
        RUBY

        # Sorts a release after its pre-releases, because letters sort before the zeros that pad a shorter version. A
        # gem that was compiled here comes after a precompiled one of the same version.
        SEARCH = <<~'RUBY'
          found = folders.flat_map do |folder|
            names = Dir.exist?("#{folder}/specifications") ? Dir.children("#{folder}/specifications") : []
            names.filter_map { |name| [folder, $1, $2] if name =~ /\Aspate-(\d[\w.]*)(-[\w-]+)?\.gemspec\z/ }
          end
          folder, version, platform = found.max_by do |_, text, platform|
            parts = text.split(".").map { |part| part.match?(/\A\d+\z/) ? [1, part.to_i, ""] : [0, 0, part] }
            parts + [[1, 0, ""]] * [9 - parts.length, 0].max + [[platform ? 0 : 1]]
          end
          unless folder
            warn "error: no gem spate is installed for #{RUBY_DESCRIPTION}", "hint: gem install spate, or remove #{__FILE__}"
            exit 14
          end

          $LOAD_PATH.unshift("#{folder}/gems/spate-#{version}#{platform}/lib")
          extensions = "#{folder}/extensions/#{scope}/spate-#{version}"
          $LOAD_PATH.unshift(extensions) if Dir.exist?(extensions)
        RUBY

        private

        def first_line
          plain = @ruby.match?(%r{\A[\w./+@-]+\z}) && @ruby.length <= SHEBANG_LENGTH
          return "#!#{@ruby} --disable-gems" if plain

          # `ruby -x` skips the shell's lines.
          quoted = "'#{@ruby.gsub("'") { "'\\''" }}'"
          "#!/bin/sh\nexec #{quoted} --disable-gems -x \"$0\" \"$@\"\n#!ruby"
        end

        def search = "folders = #{@folders.inspect}\nscope = #{@scope.inspect}\n#{SEARCH}"

        def fixed
          <<~RUBY
            unless Dir.exist?(#{@lib.inspect})
              warn "error: Spate's sources are missing: " + #{@lib.inspect}, "hint: gem install spate, or remove \#{__FILE__}"
              exit 14
            end
            $LOAD_PATH.unshift(#{@lib.inspect})
          RUBY
        end
      end

      # The hint about `spate setup` after an install, shown once per user and store.
      class LauncherHint
        # The kind of store record that marks the hint as shown.
        KIND = "hints"

        # store: Store, or nil if it is not writable. env: {name => value}
        def initialize(store, terminal, env)
          @store = store
          @terminal = terminal
          @env = env
        end

        # Prints the hint, unless the store cannot record that it was printed.
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
          first && Launcher.own?(first)
        end
      end
    end
  end
end
