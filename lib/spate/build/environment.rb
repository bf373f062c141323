# frozen_string_literal: true

module Spate
  module Build
    # The environment of builds: variables of a build process, and which of them a result may depend on.
    class Environment
      # Set by the jobserver or an outer make; the number of jobs does not affect the result.
      JOBS = /(?:\A|\s)(?:-j\s*\d*|--jobs(?:=\d+)?|--jobserver-(?:auth|fds)=\S+)(?=\s|\z)/
      # Set for each build to fixed values: otherwise a gem that reads PWD would be rebuilt in each project.
      OWN = %w[GEM_HOME GEM_PATH GEM_SPEC_CACHE PWD OLDPWD].freeze
      # Variables that differ between users, terminals and runs and do not affect the result. If a variable names a
      # folder, the files read there are traced. Languages change messages and the order of names.
      UNCOUNTED = /\A(?:
        PATH|HOME|USER|USERNAME|LOGNAME|UID|SUDO_\w+|SHELL|SHLVL|_|PS\d|PROMPT(?:_\w+)?|
        HIST(?:CONTROL|FILE|FILESIZE|IGNORE|SIZE|TIMEFORMAT)|HOSTNAME|(?:HOST|OS|MACH)TYPE|
        TMPDIR|TMP|TEMP|XDG_\w+|
        TERM(?:_\w+|INFO)?|COLORTERM|COLUMNS|LINES|NO_COLOR|CLICOLOR(?:_FORCE)?|LS_COLORS|FORCE_HYPERLINK|VTE_VERSION|
        KONSOLE_VERSION|DOMTERM|ConEmu\w+|WT_SESSION|DISPLAY|EDITOR|VISUAL|PAGER|LESS(?:CHARSET|CLOSE|HISTFILE|OPEN)?|
        MANPATH|INFOPATH|INSIDE_EMACS|
        CARGO_(?:TERM|NET|HTTP)_\w+|GIT_(?:ASKPASS|EDITOR|PAGER)|MAIL(?:CHECK|PATH)?|SSH_\w+|
        MAKELEVEL|MFLAGS|MAKE_TERM(?:ERR|OUT)|
        LANG|LANGUAGE|LC_\w+|TZ|RUBY_(?:GC|THREAD|FIBER|SHARED|IO_BUFFER|YJIT|MAX_CPU)\w*|SPATE(?:_\w+)?|
        #{OWN.join("|")}
      )\z/x
      # Default folders of programs below the home.
      DEFAULTS = { "XDG_CONFIG_HOME" => ".config", "XDG_CACHE_HOME" => ".cache", "XDG_DATA_HOME" => ".local/share",
                   "XDG_STATE_HOME" => ".local/state" }.freeze
      # Variables that programs read to adapt their output, and that are common words. One counts if it is read and
      # expanded by a text, or only expanded.
      EVERYDAY = %w[CI TF_BUILD ENV].freeze
      # Variables that the loader and Ruby read before tracing starts, and the one passed on to make.
      ALWAYS = %w[LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD RUBYLIB RUBYOPT MAKEFLAGS].freeze
      BUNDLER = %w[BUNDLE_BIN_PATH BUNDLER_VERSION BUNDLER_SETUP].freeze

      # Whether the value of a variable may change a result. Names are bytes.
      def self.counts?(name) = !UNCOUNTED.match?(name.b)

      # The environment before an outer `bundle exec`: `bundle install` builds without the bundle's own hooks.
      def initialize(env = ENV)
        @clean = Util::Environment.clean(env).except(*BUNDLER)
      end

      def [](name) = @clean[name]

      # {name => value}: compared with a record of inputs.
      def told = @told ||= @clean.merge("MAKEFLAGS" => (makeflags unless makeflags.empty?)).compact

      # Names of set variables that count if a text mentions them.
      def mentionable = @mentionable ||= told.keys.select { |name| Environment.counts?(name) }

      # {name => value, bytes} of variables that do not count by themselves.
      def places
        @places ||= DEFAULTS.transform_values { |folder| "#{@clean["HOME"]}/#{folder}" }
                            .merge(@clean.reject { |name, _| Environment.counts?(name) || OWN.include?(name) })
                            .transform_values(&:b)
      end

      # {name => [path]}: the folders that these variables name, spelled as in the trace. Without PATH, of which each
      # name looked for is recorded, and without names of programs.
      def leads = @leads ||= places.except("PATH", "SHELL", "_").transform_values { |value| paths(value) }

      # Folders of PATH, spelled as in the trace, as bytes.
      def path = paths(@clean["PATH"].to_s.b)

      # The changes of a build process's environment: a Hash for Process.spawn, nil for variables to remove. gem_path:
      # nil to keep RubyGems' own search path.
      def changes(gem_home:, gem_path: "", makeflags: nil)
        changes = (ENV.keys | @clean.keys).to_h { |name| [name, @clean[name]] }
        changes.reject! { |name, value| ENV[name] == value }
        changes.update("GEM_HOME" => gem_home, "PWD" => gem_home, "OLDPWD" => nil, "GEM_SPEC_CACHE" => spec_cache)
        changes["GEM_PATH"] = gem_path if gem_path
        changes["MAKEFLAGS"] = makeflags if makeflags
        changes
      end

      # The user's MAKEFLAGS without the number of jobs.
      def makeflags = @clean["MAKEFLAGS"].to_s.gsub(JOBS, "").strip

      private

      def paths(list) = list.split(File::PATH_SEPARATOR).grep(%r{\A/}).map { |path| trace(path) }.uniq

      def trace(folder)
        folder.split("/").include?("..") ? File.realpath(folder) : File.expand_path(folder)
      rescue SystemCallError
        folder
      end

      # Otherwise each Ruby looks for ~/.gem, which not every user has.
      def spec_cache
        @clean["GEM_SPEC_CACHE"] || "#{@clean["XDG_CACHE_HOME"] || "#{@clean["HOME"]}/.cache"}/gem/specs"
      end
    end
  end
end
