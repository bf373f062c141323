# frozen_string_literal: true

module Spate
  module Build
    # What the build files of one gem ask of the machine by name: environment variables (`ENV["NOKOGIRI_..."]`),
    # programs (`pg_config`), the Rust compiler. Found by reading the files, once an archive; the store remembers it.
    #
    # variables, programs:: [String], sorted
    # rust:: whether cargo builds (a part of) it
    Inputs = Struct.new(:variables, :programs, :rust) do
      class << self
        # extensions: `facts.extensions`. gem_dir: where the gem lies unpacked, if it does; else the store's copy is
        # read. What could not be read whole is not remembered.
        def of(store, sha256, extensions, gem_dir: nil)
          parse(store.read(self::KIND, sha256)) || remember(store, sha256, extensions, gem_dir)
        end

        def parse(text)
          return unless text&.start_with?(self::FORMAT)

          _, variables, programs, rust = text.split("\n", 4)
          return unless rust

          new(variables.split, programs.split, rust.start_with?("rust"))
        end

        # texts: Enumerable of String.
        def scan(texts)
          inputs = new([], [], false)
          texts.each { |text| inputs.add(text.b) }
          new(inputs.variables.uniq.sort, inputs.programs.uniq.sort, inputs.rust)
        end

        private

        def remember(store, sha256, extensions, gem_dir)
          folders = extensions.map { |path| File.dirname(path) }.uniq
          texts = gem_dir ? unpacked(gem_dir, folders) : stored(store, sha256, folders)
          inputs = scan(texts.compact)
          inputs.rust ||= extensions.any? { |path| path.end_with?("Cargo.toml") }
          store.write(self::KIND, sha256, inputs.to_s) if texts.all?
          inputs
        end

        def unpacked(gem_dir, folders)
          folders.flat_map do |folder|
            Dir.glob("**/*", base: File.join(gem_dir, folder)).grep(self::FILES).sort.filter_map do |path|
              path = File.join(gem_dir, folder, path)
              File.binread(path) if File.file?(path) && File.size(path) <= self::LARGEST
            end
          end
        end

        # With a nil for each file that is not there.
        def stored(store, sha256, folders)
          key = store.package_keys(sha256).first or return [nil]
          manifest = store.package(key) or return [nil]
          wanted(manifest, folders).map do |entry|
            object = store.native.object_path(entry[:sha256], entry[:mode])
            File.binread(object) if File.exist?(object)
          end
        end

        def wanted(manifest, folders)
          manifest.paths.each_with_index.filter_map do |path, index|
            next unless self::FILES.match?(path) && folders.any? { |dir| dir == "." || path.start_with?("#{dir}/") }

            entry = manifest.entry(index)
            entry if entry[:type] == :file && entry[:size] <= self::LARGEST
          end
        end
      end

      # text: a build file's bytes.
      def add(text)
        self.class::VARIABLES.each { |pattern| variables.concat(text.scan(pattern).flatten) }
        variables.concat(text.scan(self.class::WORD).flatten - self.class::EVERYDAY) if text.include?("ENV")
        programs.concat(text.scan(self.class::PROGRAM).flatten.compact)
        self.rust ||= text.match?(self.class::RUST)
      end

      def to_s
        "#{self.class::FORMAT}\n#{variables.join(" ")}\n#{programs.join(" ")}\n#{rust ? "rust" : "-"}\n"
      end
    end

    Inputs::FORMAT = "inputs 2"
    Inputs::KIND = "inputs"
    Inputs::VARIABLES = [
      /ENV(?:\[|\.(?:fetch|key\?|has_key\?|member\?|include\?|delete|assoc)\s*\(?\s*)\s*["']([A-Za-z_]\w*)["']/,
      /\benv(?:::var(?:_os)?\s*\(|!\()\s*"([A-Za-z_]\w*)"/, # Rust
      /\boption_env!\(\s*"([A-Za-z_]\w*)"/,
      /\$ENV\{([A-Za-z_]\w*)\}/ # CMake
    ].freeze
    # What looks like a variable, in a file that reads some: names also come out of lists (`%w[CC CXX].each`), constants
    # and `values_at`. One too many costs a build now and then, one too few would give a wrong one.
    Inputs::WORD = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/
    # Of those, what differs between shells and decides about no build.
    Inputs::EVERYDAY = %w[
      PATH HOME PWD OLDPWD USER LOGNAME SHELL TERM LANG LC_ALL TMPDIR TMP TEMP CI HOSTNAME SHLVL DISPLAY EDITOR ENV
    ].freeze
    # Also with arguments, as in "pg_config --libdir".
    Inputs::PROGRAM = /["'`]([a-z][\w.+-]*[-_]config)\b|find_executable\d?\s*\(?\s*["']([\w.+-]+)["']/
    Inputs::RUST = /\b(?:rb_sys|create_rust_makefile|cargo)\b/
    Inputs::FILES = %r{(?:\.rb|\.rake|\.cmake|(?:\A|/)(?:Rakefile|CMakeLists\.txt|build\.rs))\z}
    # Build files are small; what is larger is data.
    Inputs::LARGEST = 1 << 20
  end
end
