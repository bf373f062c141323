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
        # read.
        def of(store, sha256, extensions, gem_dir: nil)
          parse(store.read(self::KIND, sha256)) || remember(store, sha256, extensions, gem_dir)
        end

        def parse(text)
          return unless text&.start_with?(self::FORMAT)

          _, variables, programs, rust = text.split("\n", 4)
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
          inputs = scan(gem_dir ? unpacked(gem_dir, folders) : stored(store, sha256, folders))
          inputs.rust ||= extensions.any? { |path| path.end_with?("Cargo.toml") }
          store.write(self::KIND, sha256, inputs.to_s)
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

        def stored(store, sha256, folders)
          manifest = store.package(sha256) or return []
          manifest.paths.each_with_index.filter_map do |path, index|
            next unless self::FILES.match?(path) && folders.any? { |dir| dir == "." || path.start_with?("#{dir}/") }

            entry = manifest.entry(index)
            next unless entry[:type] == :file && entry[:size] <= self::LARGEST

            object = store.native.object_path(entry[:sha256], entry[:mode])
            File.binread(object) if File.exist?(object)
          end
        end
      end

      # text: a build file's bytes.
      def add(text)
        variables.concat(text.scan(self.class::VARIABLE).flatten)
        programs.concat(text.scan(self.class::PROGRAM).flatten)
        self.rust ||= text.match?(self.class::RUST)
      end

      def to_s
        "#{self.class::FORMAT}\n#{variables.join(" ")}\n#{programs.join(" ")}\n#{rust ? "rust" : "-"}\n"
      end
    end

    Inputs::FORMAT = "inputs 1"
    Inputs::KIND = "inputs"
    Inputs::VARIABLE = /ENV(?:\[|\.(?:fetch|key\?|has_key\?|include\?)\s*\(?\s*)\s*["']([A-Za-z_]\w*)["']/
    Inputs::PROGRAM = /["']([a-z][\w.+]*[-_]config)["']/
    Inputs::RUST = /\b(?:rb_sys|create_rust_makefile|cargo)\b/
    Inputs::FILES = %r{(?:\.rb|\.rake|(?:\A|/)Rakefile|CMakeLists\.txt)\z}
    # Build files are small; what is larger is data.
    Inputs::LARGEST = 1 << 20
  end
end
