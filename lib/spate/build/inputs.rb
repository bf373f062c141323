# frozen_string_literal: true

module Spate
  module Build
    # What the build files of one gem ask of the machine by name: environment variables (`ENV["NOKOGIRI_..."]`,
    # `$(FLAVOUR)`), programs (`pg_config`), the Rust compiler. Found by reading the files, once an archive; the store
    # remembers it.
    #
    # variables, programs:: [String], sorted
    # rust:: whether cargo builds (a part of) it
    # processor:: whether a build file looks at this machine's processor
    Inputs = Struct.new(:variables, :programs, :rust, :processor) do
      class << self
        # name: of the memory: a hash of all archives in question. The block answers their Files, the gem's own first.
        # What could not be read whole is not remembered.
        def of(store, name, extensions)
          parse(store.read(self::KIND, name)) || remember(store, name, extensions, *yield)
        end

        def parse(text)
          return unless text&.start_with?("#{self::FORMAT}\n")

          _, variables, programs, rust, processor = text.split("\n", 5)
          new(variables.split, programs.split, rust == "rust", processor == "processor\n") if processor
        end

        # files: Enumerable of [path, bytes].
        def scan(files)
          inputs = new([], [], false, false)
          files.each { |path, text| inputs.add(path, text.b) }
          inputs.variables = inputs.variables.uniq.sort
          inputs.programs = inputs.programs.uniq.sort
          inputs
        end

        private

        def remember(store, name, extensions, files, *others)
          folders = extensions.map { |path| File.dirname(path) }.uniq
          inputs = scan(BuildFiles.new(files, folders, others).to_enum)
          inputs.rust ||= extensions.any? { |path| path.end_with?("Cargo.toml") }
          store.write(self::KIND, name, inputs.to_s) if [files, *others].all?(&:whole?)
          inputs
        end
      end

      # text: a build file's bytes.
      def add(path, text)
        self.class::VARIABLES.each { |pattern| variables.concat(text.scan(pattern).flatten) }
        words(text, self.class::EXPANDED)
        self.processor ||= processor?(path, text)
        return unless self.class::SCRIPT.match?(path)

        words(text, self.class::WORD) if text.include?("ENV")
        programs.concat(text.scan(self.class::PROGRAM).flatten.compact)
        self.rust ||= text.match?(self.class::RUST)
      end

      def to_s
        [self.class::FORMAT, variables.join(" "), programs.join(" "), rust ? "rust" : "-",
         processor ? "processor" : "-", ""].join("\n")
      end

      private

      def processor?(path, text)
        return Processor.named?(text) if Cargo::CONFIG.match?(path)

        text.include?("/proc/cpuinfo") && !self.class::COMPILED.match?(path)
      end

      def words(text, pattern) = variables.concat(text.scan(pattern).flatten.compact - self.class::EVERYDAY)
    end

    Inputs::FORMAT = "inputs 3"
    Inputs::KIND = "inputs"
    Inputs::VARIABLES = [
      /ENV(?:\[|\.(?:fetch|key\?|has_key\?|member\?|include\?|delete|assoc)\s*+\(?)\s*+["']([A-Za-z_]\w*)["']/,
      /\benv(?:::var(?:_os)?\s*\(|!\()\s*"([A-Za-z_]\w*)"/, # Rust
      /\boption_env!\(\s*"([A-Za-z_]\w*)"/,
      /\$ENV\{([A-Za-z_]\w*)\}/ # CMake
    ].freeze
    # As make and shells write it: in `depend`, Makefile.in, configure, and commands in any language.
    Inputs::EXPANDED = /\$(?:[({]([A-Za-z_]\w+)|([A-Z][A-Z0-9_]+)\b)/
    # What looks like a variable, in a file that reads some: names also come out of lists (`%w[CC CXX].each`), constants
    # and `values_at`. One too many costs a build now and then, one too few would give a wrong one.
    Inputs::WORD = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/
    # What differs between shells and decides about no build.
    Inputs::EVERYDAY = %w[
      PATH HOME PWD OLDPWD USER LOGNAME SHELL TERM LANG LC_ALL TMPDIR TMP TEMP CI HOSTNAME SHLVL DISPLAY EDITOR ENV
    ].freeze
    # Also with arguments, as in "pg_config --libdir".
    Inputs::PROGRAM = /["'`]([a-z][\w.+-]*[-_]config)\b|find_executable\d?\s*\(?\s*["']([\w.+-]+)["']/
    Inputs::RUST = /\b(?:rb_sys|create_rust_makefile|cargo)\b/
    # Programs by which gems are configured; and what looks at a processor when it runs, not when it is built.
    Inputs::SCRIPT = %r{(?:\.rb|\.rake|\.cmake|(?:\A|/)(?:Rakefile|CMakeLists\.txt|build\.rs))\z}
    Inputs::COMPILED = /\.(?:[ch]|cc|cpp|cxx|hh|hpp|rs)\z/i
  end
end
