# frozen_string_literal: true

module Spate
  module Build
    # The name of a build in the store: a hash of all that can change what it makes (docs/adr/0005-build-cache-key.md).
    # What it leaves out on purpose: the bundle's folder (Record remembers builds that depend on it), PATH, and the
    # versions of system libraries (Libraries sees those that went).
    class Key
      FORMAT = "spate build 1"

      # layout: answers extensions_scope and rubygems.version. toolchain: Toolchain. environment: Environment.
      def initialize(store:, layout:, environment:, toolchain:, ruby: RubyBuild.current)
        @store = store
        @layout = layout
        @environment = environment
        @toolchain = toolchain
        @ruby = ruby
      end

      # Hex. arguments: [String] of build.NAME. dependencies: SHA-256s of the archives of all gems it depends on.
      # gem_dir: see Inputs.of.
      def for(full_name, sha256, extensions, arguments: [], dependencies: [], gem_dir: nil)
        inputs = Inputs.of(@store, sha256, extensions, gem_dir: gem_dir)
        Store.sha256(<<~TEXT)
          #{machine}
          gem #{full_name} #{sha256}
          arguments #{arguments.inspect}
          dependencies #{dependencies.compact.sort.join(" ")}
          programs #{inputs.programs.map { |name| "#{name}=#{@toolchain.program(name)}" }.join(" ")}
          tools #{@toolchain.identity(rust: inputs.rust)}
          #{@environment.text(inputs.variables)}
        TEXT
      end

      # The name of the same build where its result holds only for one bundle's folder.
      def self.rooted(key, root) = Store.sha256("#{key}\n#{root}")

      # File.umask sets it to nothing for a moment, and other threads make files meanwhile.
      def self.umask
        File.read("/proc/self/status")[/^Umask:\s*(\d+)/, 1]&.oct || File.umask
      rescue SystemCallError
        File.umask
      end

      private

      def machine
        @machine ||= <<~TEXT
          #{FORMAT}
          ruby #{@ruby.identity}
          rubygems #{@layout.rubygems.version}
          extensions #{@layout.extensions_scope}
          umask #{Key.umask.to_s(8)}
        TEXT
      end
    end
  end
end
