# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # A finished build in a store.
      #
      # store:: the Store that contains the build
      # key:: its name in the store: "<build key>-<id>"
      # manifest:: Native::Manifest of the build's files, with paths relative to the bundle's folder
      Entry = Struct.new(:store, :key, :manifest) do
        # All builds of a store, including those that only one bundle can use.
        def self.every(store) = Dir.glob("*", base: store.path("builds")).sort.filter_map { |key| find(store, key) }

        # Returns nil if the build is missing or incomplete.
        def self.find(store, key) = store.own_build(key)&.then { |manifest| new(store, key, manifest) }

        def path = store.build_path(key)
        def record = @record ||= Record.parse(manifest.facts)
        def confirm = store.confirm(manifest, path)

        # "<build key>-<id>", without the signer's part. Builds that read this build include it in their key.
        def identity = key[/\A\h+-\h+/]

        # The paths of the record of inputs and of the record of runtime requirements.
        def inputs = store.path(Variants::FOLDER, *key.split("-", 2))
        def needs = "#{inputs}#{Variants::NEEDS}"

        # Verifies the content of the build's files and repairs the build. Returns the new Entry, or nil if that failed.
        def renew = store.renew([path])[path]&.then { |good| self.class.new(store, key, good) }

        # Updates the time of use, at most once a day. The least recently used builds are removed first. late: whether
        # other builds were checked before this one. If so, always updates, so that the next lookup checks this one
        # first.
        def use(late: false)
          now = Time.now
          File.utime(now, now, inputs) if store.writable? && (late || now - File.mtime(inputs) > Variants::DAY)
        rescue SystemCallError
          nil
        end
      end

      # The facts about a stored build, which its manifest stores as text: one `key<TAB>value...` per line. Tabs,
      # newlines and backslashes in values are escaped (\t, \n, \\), so that a file name cannot add lines.
      #
      # full_name, seconds:: name of the gem, duration of the build
      # root:: the folder of the only bundle that can use the build, or nil
      # removed:: paths of the package that the build deleted, relative to the bundle's folder
      # programs:: [[name, path or ""]]: programs searched on the PATH, and their paths (see Trace::Programs)
      # walks:: [Trace::Walk]: names searched in the folders above the bundle
      # missed:: [[variable, path]]: missing paths below the folder that a variable names; with "" as the variable,
      #   missing absolute paths in folders above the bundle ("~" for the home)
      # words, names:: Trace::Words of the files it read, as text, and the variables among them whose values are inputs
      # signer:: [key's id, Unix time] of its signer, if it came from a team's cache
      # sees:: [[key's id, Unix time]] of the signed builds that it read
      Record = Struct.new(:full_name, :seconds, :root, :removed, :programs, :walks, :missed, :words, :names, :signer,
                          :sees, keyword_init: true) do
        # Parses bytes, because a file name may be in an invalid encoding. Ignores unknown lines, which later versions
        # may add.
        def self.parse(text)
          lines = text.b.each_line(chomp: true).map { |line| line.split("\t", -1).map { |value| unescape(value) } }
          found = lines.group_by(&:shift)
          found.default = []
          gem, seconds, root, words = %w[gem seconds root words].map { |key| found[key].dig(0, 0) }
          new(full_name: gem, seconds: seconds&.to_f, root: root, words: words, names: found["names"].flatten,
              walks: found["walk"].map { |name, extent, *at| Trace::Walk.new(name.b, extent, at.map(&:b)) },
              removed: found["removed"].flatten.select { |path| inside?(path) },
              missed: found["missed"].select { |pair| pair.size == 2 },
              programs: found["program"].select { |pair| pair.size == 2 },
              signer: signed(found["signer"]).first, sees: signed(found["sees"]))
        end

        def self.signed(lines) = lines.map { |id, made| [id.to_s, made.to_i] }

        # Whether a path is inside the bundle. The file will be deleted, so paths outside must be rejected.
        def self.inside?(path) = !path.start_with?("/") && !path.b.split("/").include?("..")

        def self.unescape(value)
          value = value.gsub(/\\[\\tn]/n, self::UNESCAPES) if value.include?("\\")
          value.force_encoding(Encoding::UTF_8)
        end
        private_class_method :signed, :inside?, :unescape

        # All signers that a bundle must trust to use this build: [[key's id, Unix time]].
        def signers = [signer, *sees].compact

        def to_s
          once = { "gem" => full_name, "seconds" => seconds&.round(3), "root" => root, "words" => words }.compact.to_a
          many = { "removed" => removed, "program" => programs, "walk" => walks.to_a.map { |walk| walk.to_a.flatten },
                   "missed" => missed, "signer" => [signer].compact,
                   "sees" => sees }
                 .flat_map { |key, values| values.to_a.map { |value| [key, *value] } }
          text = [*once, *many, ["names", *names]].map do |values|
            values.map { |value| value.to_s.b.gsub(/[\\\t\n]/n, self.class::ESCAPES) }.join("\t")
          end
          "#{text.join("\n")}\n".force_encoding(Encoding::UTF_8)
        end
      end

      Record::ESCAPES = { "\\" => "\\\\", "\t" => "\\t", "\n" => "\\n" }.freeze
      Record::UNESCAPES = Record::ESCAPES.invert.freeze

      # Lists the files of a package that must be removed before a stored build is linked: files that the build removed
      # or changed, and paths that are a folder in only one of the two trees.
      module Removals
        module_function

        # Yields the absolute paths of files, links and whole folders. The block must remove each path at once.
        # manifest: of the build, with paths relative to root. below: prefix of the package's paths.
        def each(manifest, root, below: "", &block)
          removed = Builder.removed(manifest).map { |path| "#{root}/#{path}" }
          removed.select { |path| Trace::Content.exist?(path) }.each(&block)
          manifest.paths.each_with_index do |path, index|
            next unless path.start_with?(below)

            place = "#{root}/#{path}"
            next if !Trace::Content.exist?(place) || (folder?(place) && manifest.entry(index)[:type] == :directory)

            block.call(place)
          end
        end

        def folder?(path) = File.directory?(path) && !File.symlink?(path)
      end
    end
  end
end
