# frozen_string_literal: true

module Spate
  module CLI
    class Setup < Command
      # The native program that handles commands with nothing to do, and otherwise runs the launcher `spate-ruby` beside
      # it (core/front). It reads facts about Ruby and the gem from the launcher. The facts are valid while the listed
      # files are unchanged.
      class FrontEnd
        NAME = "spate/native/front"
        # A string in the binary, defined in ext/spate/front/main.c.
        MARK = "#{Launcher::MARK}, compiled".freeze
        # Larger files (bytes) are other programs.
        LIMIT = 4 << 20
        # Character sets of common locales, as returned by nl_langinfo(3).
        CHARSETS = %w[UTF-8 ANSI_X3.4-1968].freeze
        # Libraries whose versions `spate version` prints.
        LIBRARIES = %r{/(?:libruby[^/]*|libz\.[^/]*|libdeflate[^/]*|spate/native/(?:[\d.]+/)?install\.\w+)\z}

        class << self
          # Returns a FrontEnd, or nil if the program is not compiled or a fact contains a newline.
          def find(folders: [], lib: nil)
            path = compiled or return
            front = new(path, folders: folders, lib: lib)
            front if front.facts.flatten.none? { |text| text.include?("\n") }
          rescue LoadError
            nil # Spate's extensions were built for another Ruby
          end

          # The path of this gem's compiled program, or nil.
          def compiled = $LOAD_PATH.map { |folder| "#{folder}/#{NAME}" }.find { |path| File.executable?(path) }

          def own?(path)
            return false unless File.file?(path) && File.size(path).between?(4, LIMIT)

            bytes = File.binread(path)
            bytes.start_with?("\x7FELF".b) && bytes.include?(MARK)
          end

          # Returns [:ok or :odd, text] about a launcher.
          def state(path)
            own?(path) ? of_copy(path, compiled) : of_script(compiled)
          end

          private

          def of_script(program)
            program ? [:odd, "starts Ruby for every command, though a front end is compiled"] : [:ok, "starts Ruby"]
          end

          def of_copy(path, program)
            launcher = File.read("#{path}-ruby", encoding: Encoding::BINARY)
            files = launcher.scan(/^#:file (.+)/).flatten
            current = program && File.binread(path) == File.binread(program) && files.all? { |fact| same?(fact) }
            return [:ok, "front end"] if current

            [:odd, "front end for another version of Spate or Ruby, so it starts Ruby for every command"]
          rescue SystemCallError => e
            [:odd, "front end without its launcher: #{ErrorSummary.of(e)}"]
          end

          def same?(fact) = fact == file(fact.split(" ", 3).last.to_s)

          # "14488 1676000000 /usr/bin/ruby3.1": see core/front/launcher.h.
          def file(path)
            stat = File.stat(path)
            "#{stat.size} #{stat.mtime.to_i} #{path}".b
          rescue SystemCallError
            nil
          end
        end

        # path: path of the compiled program. folders, lib: see Launcher.
        def initialize(path, folders:, lib:)
          @path = path
          @folders = folders
          @lib = lib
        end

        # [[name, value]]
        def facts
          @facts ||= [["version", VERSION], ["ruby", Util::Ruby.path], ["ruby-version", RUBY_VERSION],
                      ["platform", RUBY_PLATFORM], ["description", Util::Ruby.description],
                      ["backend", Native.inflate_backend], *ruby_keys.map { |key| ["ruby-key", key] },
                      *files.map { |path| ["file", self.class.send(:file, path)] },
                      *(@lib ? [["lib", @lib]] : @folders.map { |folder| ["folder", folder] })]
        end

        # Replaces the file atomically, because it may be running.
        def write(path)
          Util::Files.write(path, File.binread(@path), mode: 0o755)
          true
        end

        private

        # "UTF-8 0123…" for each locale encoding that programs may use.
        def ruby_keys
          [Encoding.locale_charmap, *CHARSETS].uniq.map do |name|
            "#{name} #{::Spate::Boot::RubyKey.of(Encoding.find(name))}"
          end
        end

        def files
          backend = Native.inflate_backend # loads the libraries
          mapped = backend ? File.readlines("/proc/self/maps", chomp: true).filter_map { |line| line[%r{/.*}] } : []
          own = @lib ? ["#{@lib}/spate/version.rb"] : []
          [Util::Ruby.path, File.expand_path(@path), *mapped.grep(LIBRARIES), *own].uniq
        end
      end
    end
  end
end
