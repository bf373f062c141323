# frozen_string_literal: true

module Spate
  module Build
    # The environment of builds: which variables they depend on, and which a build process gets.
    class Environment
      # What compilers, linkers, make, mkmf, pkg-config, cargo and cmake read. What a gem's own build files read comes
      # from Inputs. PATH is not here: it differs between shells, while the programs found by it are in the key.
      NAMES = /\A(?:
        CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|LDSHARED(?:XX)?|LIB|LIBS|INCLUDE|
        [A-Z]*FLAGS|ARCH_FLAG|CONFIGURE_ARGS|CONFIG_SITE|MAKE|make|rake|DESTDIR|
        CPATH|[A-Z_]*INCLUDE_PATH|LIBRARY_PATH|LD_LIBRARY_PATH|LD_RUN_PATH|LD_PRELOAD|DYLD_\w+|
        COMPILER_PATH|GCC_EXEC_PREFIX|GCC_TOOLCHAIN|SOURCE_DATE_EPOCH|MACOSX_DEPLOYMENT_TARGET|SDKROOT|DEVELOPER_DIR|
        PKG_CONFIG\w*|CMAKE_\w+|RUBYOPT|RUBYLIB|RUBY_CC_VERSION|RUBY_STATIC|RB_SYS_\w+|
        CARGO|CARGO_(?:BUILD|TARGET|PROFILE|ENCODED)_\w+|RUSTC|RUSTC_\w+|RUSTFLAGS|RUSTUP_TOOLCHAIN|
        \w+_USE_SYSTEM_LIBRARIES|(?:USE|WITH|WITHOUT|ENABLE|DISABLE)_\w+
      )\z/x
      # Set by the jobserver or by a make around us; what is built does not depend on how many jobs built it.
      JOBS = /(?:\A|\s)(?:-j\s*\d*|--jobs(?:=\d+)?|--jobserver-(?:auth|fds)=\S+)(?=\s|\z)/
      # What each build has its own of, whatever the shell says: else a gem that asks for PWD is built in each project.
      OWN = %w[GEM_HOME GEM_PATH PWD OLDPWD].freeze
      BUNDLER = %w[BUNDLE_BIN_PATH BUNDLER_VERSION BUNDLER_SETUP].freeze
      ORIGINAL = "BUNDLER_ORIG_"
      ABSENT = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"

      def initialize(env = ENV)
        @env = env.to_h
        @clean = clean
      end

      # The variables that a build reads, as lines for its key. names: further variables that this gem asks for.
      def text(names = [])
        shared + (names - OWN).sort.filter_map { |name| line(name) if @clean.key?(name) && !NAMES.match?(name) }.join
      end

      def [](name) = @clean[name]

      # What differs from this process's environment in a build process: a Hash as Process.spawn takes it, nil values
      # for variables to remove. gem_path: nil where RubyGems' own search path is to stay.
      def changes(gem_home:, gem_path: "", makeflags: nil)
        changes = (ENV.keys | @clean.keys).to_h { |name| [name, @clean[name]] }
        changes.reject! { |name, value| ENV[name] == value }
        changes.update("GEM_HOME" => gem_home, "PWD" => gem_home, "OLDPWD" => nil)
        changes["GEM_PATH"] = gem_path if gem_path
        changes["MAKEFLAGS"] = makeflags if makeflags
        changes
      end

      # The user's MAKEFLAGS without what says how many jobs there are.
      def makeflags
        @clean["MAKEFLAGS"].to_s.gsub(JOBS, "").strip
      end

      private

      def shared
        @shared ||= @clean.keys.grep(NAMES).sort.filter_map { |name| line(name) }.join
      end

      def line(name)
        value = name == "MAKEFLAGS" ? makeflags : @clean[name].to_s
        "#{name}=#{value.dump}\n" unless value.empty?
      end

      # As it was before a `bundle exec` around us: `bundle install` builds without the bundle's own hooks.
      def clean
        env = @env.dup
        @env.each do |name, value|
          next unless name.start_with?(ORIGINAL)

          value == ABSENT ? env.delete(name.delete_prefix(ORIGINAL)) : env[name.delete_prefix(ORIGINAL)] = value
          env.delete(name)
        end
        BUNDLER.each { |name| env.delete(name) }
        env["RUBYOPT"] &&= env["RUBYOPT"].split.grep_v(%r{\A-r.*bundler/setup\z}).join(" ")
        env.delete("RUBYOPT") if env["RUBYOPT"] == ""
        env
      end
    end
  end
end
