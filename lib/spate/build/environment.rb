# frozen_string_literal: true

module Spate
  module Build
    # The environment of builds: what a build process gets, and what of it a result may stand on.
    class Environment
      # Set by the jobserver or by a make around us; what is built does not depend on how many jobs built it.
      JOBS = /(?:\A|\s)(?:-j\s*\d*|--jobs(?:=\d+)?|--jobserver-(?:auth|fds)=\S+)(?=\s|\z)/
      # What each build has its own of, whatever the shell says: else a gem that asks for PWD is built in each project.
      OWN = %w[GEM_HOME GEM_PATH GEM_SPEC_CACHE PWD OLDPWD].freeze
      # What differs between users, terminals and runs, and decides about no build. Those that name places: what is
      # there, or is not, is heard as files. Those of languages: messages and the order of names.
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
      # Where programs go below the home if nobody says where.
      DEFAULTS = { "XDG_CONFIG_HOME" => ".config", "XDG_CACHE_HOME" => ".cache", "XDG_DATA_HOME" => ".local/share",
                   "XDG_STATE_HOME" => ".local/state" }.freeze
      # What programs ask for to know whom they talk to, and what is a word of many texts. It counts where it is both,
      # or expanded.
      EVERYDAY = %w[CI TF_BUILD ENV].freeze
      # What the loader and Ruby read before anybody hears them, and what goes on to make.
      ALWAYS = %w[LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD RUBYLIB RUBYOPT MAKEFLAGS].freeze
      BUNDLER = %w[BUNDLE_BIN_PATH BUNDLER_VERSION BUNDLER_SETUP].freeze

      # Whether the value of a variable may decide about a result. Names are bytes.
      def self.counts?(name) = !UNCOUNTED.match?(name.b)

      # As it was before a `bundle exec` around us: `bundle install` builds without the bundle's own hooks.
      def initialize(env = ENV)
        @clean = Ground::Environment.clean(env).except(*BUNDLER)
      end

      def [](name) = @clean[name]

      # {name => value}: what a record of inputs stands on.
      def told = @told ||= @clean.merge("MAKEFLAGS" => (makeflags unless makeflags.empty?)).compact

      # Names that are set and that a text may mean by a word of it.
      def mentionable = @mentionable ||= told.keys.select { |name| Environment.counts?(name) }

      # {name => value, bytes} of what does not count for itself.
      def places
        @places ||= DEFAULTS.transform_values { |folder| "#{@clean["HOME"]}/#{folder}" }
                            .merge(@clean.reject { |name, _| Environment.counts?(name) || OWN.include?(name) })
                            .transform_values(&:b)
      end

      # {name => [path]}: where these lead, each to one place or to several, as they are heard. Of PATH each name that
      # was looked for counts, and the others name programs.
      def leads = @leads ||= places.except("PATH", "SHELL", "_").transform_values { |value| paths(value) }

      # Folders in which programs are looked for, as what is in them is heard. As bytes.
      def path = paths(@clean["PATH"].to_s.b)

      # What differs from this process's environment in a build process: a Hash as Process.spawn takes it, nil values
      # for variables to remove. gem_path: nil where RubyGems' own search path is to stay.
      def changes(gem_home:, gem_path: "", makeflags: nil)
        changes = (ENV.keys | @clean.keys).to_h { |name| [name, @clean[name]] }
        changes.reject! { |name, value| ENV[name] == value }
        changes.update("GEM_HOME" => gem_home, "PWD" => gem_home, "OLDPWD" => nil, "GEM_SPEC_CACHE" => spec_cache)
        changes["GEM_PATH"] = gem_path if gem_path
        changes["MAKEFLAGS"] = makeflags if makeflags
        changes
      end

      # The user's MAKEFLAGS without what says how many jobs there are.
      def makeflags = @clean["MAKEFLAGS"].to_s.gsub(JOBS, "").strip

      private

      def paths(list) = list.split(File::PATH_SEPARATOR).grep(%r{\A/}).map { |path| heard(path) }.uniq

      def heard(folder)
        folder.split("/").include?("..") ? File.realpath(folder) : File.expand_path(folder)
      rescue SystemCallError
        folder
      end

      # Else each Ruby looks for a ~/.gem, which one user has and another has not.
      def spec_cache
        @clean["GEM_SPEC_CACHE"] || "#{@clean["XDG_CACHE_HOME"] || "#{@clean["HOME"]}/.cache"}/gem/specs"
      end
    end
  end
end
