# frozen_string_literal: true

module Spate
  module Build
    # Which compilers and C library this machine has. A compiler is what it says of itself and the bytes of every
    # program of its name on the PATH: a wrapper hides the compiler behind it, and says what that one says. All is
    # remembered under the stat of these programs, so that a warm install starts no process.
    class Toolchain
      KIND = "toolchains"
      # Lines of `--version` that tell where a compiler lies, not what it is.
      PLACE = /^(?:InstalledDir|Configuration file): .*\n?/
      LIBRARIES = %w[
        /lib/ARCH/libc.so.6 /lib64/libc.so.6 /usr/lib/libc.so.6 /lib/libc.so.6 /lib/libc.musl-CPU.so.1
      ].freeze
      ABSENT = "absent"
      # What `cc -v` lists between these lines.
      SEARCHED = /search starts here:\n((?: .*\n)+)/

      # store: Store. environment: Environment. ruby: RubyBuild.
      def initialize(store, environment, ruby = RubyBuild.current)
        @store = store
        @environment = environment
        @ruby = ruby
        @identities = {}
        @mutex = Mutex.new
      end

      # Text that is equal for equal tools. rust: whether the Rust compiler takes part.
      def identity(rust: false)
        @mutex.synchronize do
          @identities[rust] ||= [
            "cc #{compiler("CC")}", "cxx #{compiler("CXX")}", "libc #{c_library}", ("rustc #{rust_compiler}" if rust)
          ].compact.join("\n")
        end
      end

      # Folders in which the compilers look for headers, and the linker for libraries.
      def header_folders
        folders_in(said("-E", "-v", "-x", "c++", File::NULL).scan(SEARCHED).flatten.flat_map(&:split))
      end

      def library_folders
        folders_in(said("-print-search-dirs")[/^libraries: =?(.*)$/, 1].to_s.split(":"))
      end

      # The absolute path of a program on the PATH, or nil.
      def program(name) = candidates(name).first

      private

      def compiler(name)
        command = (@environment[name] || @ruby[name]).to_s
        words = command.split
        remembered(command, words, [])
      end

      # rustup's proxies stay the same when the toolchain behind them changes; its folders do not.
      def rust_compiler
        home = @environment["RUSTUP_HOME"] || File.join(@environment["HOME"].to_s, ".rustup")
        words = [@environment["RUSTC"] || "rustc"]
        remembered(words.first, words, %w[settings.toml toolchains update-hashes].map { |name| File.join(home, name) })
      end

      def c_library
        cpu, = @ruby["arch"].to_s.split("-", 2)
        paths = LIBRARIES.map { |path| path.sub("ARCH", @ruby["arch"].to_s).sub("CPU", cpu) }
        recall("libc\n#{stamps(paths.select { |path| File.exist?(path) })}") { ask_c_library }
      end

      def remembered(command, words, further)
        programs = words.reject { |word| word.start_with?("-") }.flat_map { |word| candidates(word) }
        last = Store.sha256("last\n#{command}")
        # An image without a compiler can still use what was built by the one that its store knew.
        return @store.read(KIND, last) || ABSENT if programs.empty?

        recall("#{command}\n#{stamps(programs + further)}") do
          version(words).then { |text| text == ABSENT ? text : "#{text}\n#{contents(programs)}" }
                        .tap { |text| @store.write(KIND, last, text) unless text == ABSENT }
        end
      end

      def recall(text)
        key = Store.sha256(text)
        @store.read(KIND, key) || yield.tap { |answer| @store.write(KIND, key, answer) unless answer == ABSENT }
      end

      def version(words)
        output = ask(words, "--version", err: File::NULL)
        output ? output.gsub(PLACE, "").strip : ABSENT
      end

      # What both streams of the C compiler say, nothing where there is none.
      def said(*arguments)
        words = (@environment["CC"] || @ruby["CC"]).to_s.split
        recall("#{words.join(" ")} #{arguments.join(" ")}\n#{stamps(candidates(words.first.to_s))}") do
          ask(words, *arguments, err: %i[child out]) || ABSENT
        end
      end

      # nil where the command cannot be run or fails.
      def ask(words, *arguments, err:)
        command = [candidates(words.first.to_s).first, *words.drop(1), *arguments]
        return unless command.first

        environment = { "LC_ALL" => "C", "PATH" => @environment["PATH"] }
        output = IO.popen(environment, command, in: File::NULL, err: err, &:read)
        output if $?.success?
      rescue SystemCallError
        nil
      end

      def contents(programs)
        programs.map { |path| Store.sha256(File.binread(path)) }.uniq.join("\n")
      rescue SystemCallError
        ABSENT
      end

      def folders_in(words) = words.grep(%r{\A/}).map { |path| File.expand_path(path) }.uniq

      def ask_c_library
        require "etc"
        Etc.confstr(Etc::CS_GNU_LIBC_VERSION) || ABSENT
      rescue NameError, SystemCallError
        ABSENT
      end

      def candidates(name)
        return File.executable?(name) ? [File.expand_path(name)] : [] if name.include?("/")

        folders.map { |folder| "#{folder}/#{name}" }.select { |path| File.executable?(path) && !File.directory?(path) }
      end

      def folders = @folders ||= @environment["PATH"].to_s.split(File::PATH_SEPARATOR).uniq

      def stamps(paths)
        paths.map do |path|
          stat = File.stat(path)
          "#{path} #{stat.size} #{stat.mtime.to_r} #{stat.ino}\n"
        rescue SystemCallError
          "#{path} -\n"
        end.join
      end
    end
  end
end
