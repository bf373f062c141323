# frozen_string_literal: true

module Spate
  module Build
    # The name of a build in the store: a hash of all that can change what it makes (docs/adr/0005-build-cache-key.md).
    # What it leaves out on purpose: the bundle's folder and the processor (a build that depends on them has a name made
    # of the key and them), PATH, and the versions of system libraries (Libraries sees those that went).
    class Key
      FORMAT = "spate build 2"

      # layout: answers extensions_scope and rubygems.version. toolchain: Toolchain. environment: Environment.
      def initialize(layout:, environment:, toolchain:, ruby: RubyBuild.current)
        @layout = layout
        @environment = environment
        @toolchain = toolchain
        @ruby = ruby
      end

      # Hex. inputs: Inputs. arguments: [String] of build.NAME. dependencies: SHA-256s of the archives of all gems it
      # depends on. word: see Forgotten. cargo: see Cargo.
      def for(full_name, sha256, inputs, arguments: [], dependencies: [], word: "", cargo: "")
        Store.sha256(<<~TEXT)
          #{machine}
          gem #{full_name} #{sha256} #{word}
          arguments #{arguments.inspect}
          dependencies #{dependencies.compact.sort.join(" ")}
          programs #{inputs.programs.map { |name| "#{name}=#{@toolchain.program(name)}" }.join(" ")}
          tools #{@toolchain.identity(rust: inputs.rust)}
          cargo #{cargo.dump}
          #{@environment.text(inputs.variables)}
        TEXT
      end

      # The key of a build that sees others: those in its bundle of gems that it depends on. others: their own keys, or
      # whatever else tells each from any other of its gem.
      def self.seeing(key, others) = others.empty? ? key : Store.sha256("#{key}\nsees #{others.sort.join(" ")}")

      # The name of a build whose result holds only for a bundle's folder, for a kind of processor, or for both.
      def self.bound(key, *facts) = facts.empty? ? key : Store.sha256([key, *facts].join("\n"))

      # Yields each name under which a build that serves here may be kept. What processor this is, is asked last.
      def self.names(key, root)
        yield key
        yield bound(key, root)
        yield bound(key, Processor.identity)
        yield bound(key, root, Processor.identity)
      end

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
