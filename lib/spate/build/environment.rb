# frozen_string_literal: true

module Spate
  module Build
    # The environment of builds: what a build process gets, and which of it a result may depend on.
    class Environment
      # Set by the jobserver or by a surrounding make; how many jobs run does not change what is built.
      JOBS = /(?:\A|\s)(?:-j\s*\d*|--jobs(?:=\d+)?|--jobserver-(?:auth|fds)=\S+)(?=\s|\z)/
      # Set for each build, whatever the shell has: else a gem that asks for PWD would be built again in each project.
      OWN = %w[GEM_HOME GEM_PATH GEM_SPEC_CACHE PWD OLDPWD].freeze
      # What differs between users, terminals and runs and does not decide what is built. For variables that name
      # places, the files there are heard; those of languages change messages and the order of names.
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
      # Where programs look below the home by default.
      DEFAULTS = { "XDG_CONFIG_HOME" => ".config", "XDG_CACHE_HOME" => ".cache", "XDG_DATA_HOME" => ".local/share",
                   "XDG_STATE_HOME" => ".local/state" }.freeze
      # What programs ask for to adapt their output, and a word of many texts. It counts if it is both, or if a text
      # expands it.
      EVERYDAY = %w[CI TF_BUILD ENV].freeze
      # What the loader and Ruby read before they are heard, and what is passed on to make.
      ALWAYS = %w[LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD RUBYLIB RUBYOPT MAKEFLAGS].freeze
      BUNDLER = %w[BUNDLE_BIN_PATH BUNDLER_VERSION BUNDLER_SETUP].freeze

      # Whether the value of a variable may change a result. Names are bytes.
      def self.counts?(name) = !UNCOUNTED.match?(name.b)

      # As it was before a surrounding `bundle exec`: `bundle install` builds without the bundle's own hooks.
      def initialize(env = ENV)
        @clean = Ground::Environment.clean(env).except(*BUNDLER)
      end

      def [](name) = @clean[name]

      # {name => value}: what a record of inputs is compared with.
      def told = @told ||= @clean.merge("MAKEFLAGS" => (makeflags unless makeflags.empty?)).compact

      # Names that are set and count if a text mentions them.
      def mentionable = @mentionable ||= told.keys.select { |name| Environment.counts?(name) }

      # {name => value, bytes} of variables that do not count by themselves.
      def places
        @places ||= DEFAULTS.transform_values { |folder| "#{@clean["HOME"]}/#{folder}" }
                            .merge(@clean.reject { |name, _| Environment.counts?(name) || OWN.include?(name) })
                            .transform_values(&:b)
      end

      # {name => [path]}: where these lead, each to one place or several, as they are heard. Left out: PATH, of which
      # each name that was looked for counts, and names of programs.
      def leads = @leads ||= places.except("PATH", "SHELL", "_").transform_values { |value| paths(value) }

      # Folders in which programs are looked for, as they are heard, as bytes.
      def path = paths(@clean["PATH"].to_s.b)

      # How a build process's environment differs from this one's: a Hash as Process.spawn takes it, nil for variables
      # to remove. gem_path: nil to keep RubyGems' own search path.
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

      def paths(list) = list.split(File::PATH_SEPARATOR).grep(%r{\A/}).map { |path| heard(path) }.uniq

      def heard(folder)
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
