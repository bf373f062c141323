# frozen_string_literal: true

module Spate
  module Build
    # The environment of builds: the variables of a build process, and the variables that a result may depend on.
    class Environment
      # Job flags set by the jobserver or an outer make. The number of jobs does not affect the result.
      JOBS = /(?:\A|\s)(?:-j\s*\d*|--jobs(?:=\d+)?|--jobserver-(?:auth|fds)=\S+)(?=\s|\z)/
      # Variables that are set to fixed values for each build; otherwise a gem that reads PWD would be rebuilt in each
      # project.
      OWN = %w[GEM_HOME GEM_PATH GEM_SPEC_CACHE PWD OLDPWD].freeze
      # Variables that differ between users, terminals and runs but do not affect the result. If a variable names a
      # folder, files read in it are traced. Language variables are not in the list, because they change messages and
      # the order of names.
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
      # Variables that programs read to adapt their output and whose names are common words. Such a variable counts only
      # if a text expands it.
      EVERYDAY = %w[CI TF_BUILD ENV].freeze
      # Variables that the loader and Ruby read before tracing starts, and MAKEFLAGS, which is passed on to make.
      ALWAYS = %w[LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD RUBYLIB RUBYOPT MAKEFLAGS].freeze
      BUNDLER = %w[BUNDLE_BIN_PATH BUNDLER_VERSION BUNDLER_SETUP].freeze

      # Whether the value of a variable may affect a result. Names are bytes.
      def self.counts?(name) = !UNCOUNTED.match?(name.b)

      # Uses the environment before an outer `bundle exec`, like `bundle install`, which builds without the bundle's
      # hooks.
      def initialize(env = ENV)
        @clean = Util::Environment.clean(env).except(*BUNDLER)
      end

      def [](name) = @clean[name]

      # {name => value}, to compare with a record of inputs.
      def told = @told ||= @clean.merge("MAKEFLAGS" => (makeflags unless makeflags.empty?)).compact

      # Names of set variables that count if a text mentions them.
      def mentionable = @mentionable ||= told.keys.select { |name| Environment.counts?(name) }

      # {name => value, bytes} of the variables that do not count directly.
      def places
        @places ||= DEFAULTS.transform_values { |folder| "#{@clean["HOME"]}/#{folder}" }
                            .merge(@clean.reject { |name, _| Environment.counts?(name) || OWN.include?(name) })
                            .transform_values(&:b)
      end

      # {name => [path]}: the folders that these variables name, spelled as in the trace. Excludes PATH, whose lookups
      # are recorded by name, and variables that name programs.
      def leads = @leads ||= places.except("PATH", "SHELL", "_").transform_values { |value| paths(value) }

      # Folders of PATH as bytes, spelled as in the trace.
      def path = paths(@clean["PATH"].to_s.b)

      # The changes to a build process's environment: a Hash for Process.spawn, with nil for variables to remove.
      # gem_path: nil keeps RubyGems' own search path.
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

      # Set because otherwise each Ruby looks for ~/.gem, which not every user has.
      def spec_cache
        @clean["GEM_SPEC_CACHE"] || "#{@clean["XDG_CACHE_HOME"] || "#{@clean["HOME"]}/.cache"}/gem/specs"
      end
    end
  end
end
