# frozen_string_literal: true

module Spate
  module Build
    # The environment of builds: the variables of a build process, and the variables that a result may depend on.
    class Environment
      # Job flags in MAKEFLAGS, set by the jobserver or an outer make. The number of jobs does not affect the result.
      JOBS = /(?:\A|\s)(?:-j\s*\d*|--jobs(?:=\d+)?|--jobserver-(?:auth|fds)=\S+)(?=\s|\z)/
      # Variables that are set to fixed values for each build; otherwise a gem that reads PWD would be rebuilt in each
      # project.
      OWN = %w[GEM_HOME GEM_PATH GEM_SPEC_CACHE PWD OLDPWD].freeze
      # Variables that differ between users, terminals and runs but do not affect the result of a build. If such a
      # variable names a folder, the files that the build reads there are traced.
      IGNORED = /\A(?:
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
      # Variables whose names are common words. They are inputs only if a file that the build reads expands them.
      EVERYDAY = %w[CI TF_BUILD ENV].freeze
      # Variables that are always inputs. The dynamic loader and Ruby read them before tracing starts; MAKEFLAGS is
      # passed to make.
      ALWAYS = %w[LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD RUBYLIB RUBYOPT MAKEFLAGS].freeze
      BUNDLER = %w[BUNDLE_BIN_PATH BUNDLER_VERSION BUNDLER_SETUP].freeze

      # Whether the value of a variable may affect the result of a build. name may contain any bytes.
      def self.counts?(name) = !IGNORED.match?(name.b)

      # Removes the changes of an outer `bundle exec`, as `bundle install` does, so that builds run without the bundle's
      # hooks.
      def initialize(env = ENV)
        @clean = Util::Environment.clean(env).except(*BUNDLER)
      end

      def [](name) = @clean[name]

      # {name => value}, to compare with a record of inputs.
      def variables = @variables ||= @clean.merge("MAKEFLAGS" => (makeflags unless makeflags.empty?)).compact

      # Names of the set variables that are inputs if a file that the build reads mentions them.
      def countable_names = @countable_names ||= variables.keys.select { |name| Environment.counts?(name) }

      # {name => value, bytes} of the variables whose values are not inputs, but that may name folders.
      def places
        @places ||= DEFAULTS.transform_values { |folder| "#{@clean["HOME"]}/#{folder}" }
                            .merge(@clean.reject { |name, _| Environment.counts?(name) || OWN.include?(name) })
                            .transform_values(&:b)
      end

      # {name => [path]}: the folders that these variables name, normalized as in the trace. Excludes PATH, whose
      # lookups are recorded by program name, and variables that name programs.
      def named_folders
        @named_folders ||= places.except("PATH", "SHELL", "_").transform_values { |value| paths(value) }
      end

      # The folders of PATH as bytes, normalized as in the trace.
      def path = paths(@clean["PATH"].to_s.b)

      # The environment of a build process: a Hash for Process.spawn, with nil for variables to remove. gem_path: nil
      # uses RubyGems' default search path.
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

      # Without this variable, Ruby checks whether ~/.gem exists, and the trace would depend on the user.
      def spec_cache
        @clean["GEM_SPEC_CACHE"] || "#{@clean["XDG_CACHE_HOME"] || "#{@clean["HOME"]}/.cache"}/gem/specs"
      end
    end
  end
end
