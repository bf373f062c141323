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
        # All builds of a store, including those that only a single bundle can use.
        def self.every(store) = Dir.glob("*", base: store.path("builds")).sort.filter_map { |key| find(store, key) }

        # nil if the build is missing or incomplete.
        def self.find(store, key) = store.own_build(key)&.then { |manifest| new(store, key, manifest) }

        def path = store.build_path(key)
        def record = @record ||= Record.parse(manifest.facts)
        def confirm = store.confirm(manifest, path)

        # The identity of the build for builds that read it, independent of its signer: "<build key>-<id>".
        def identity = key[/\A\h+-\h+/]

        # Paths of the records of its inputs and of its runtime requirements.
        def inputs = store.path(Variants::FOLDER, *key.split("-", 2))
        def needs = "#{inputs}#{Variants::NEEDS}"

        # The same entry, verified by content and trusted again; nil if it cannot be repaired.
        def renew = store.renew([path])[path]&.then { |good| self.class.new(store, key, good) }

        # Updates the time of use, at most once a day: unused builds are removed first. late: whether other builds were
        # checked before this one; then always updates, so that the next lookup checks this one first.
        def use(late: false)
          now = Time.now
          File.utime(now, now, inputs) if store.writable? && (late || now - File.mtime(inputs) > Variants::DAY)
        rescue SystemCallError
          nil
        end
      end

      # Facts about a stored build besides its files: the facts text of its manifest, one `key<TAB>value...` per line.
      # Tabs, newlines and backslashes in values are escaped (\t, \n, \\), so that a file's name cannot add lines.
      #
      # full_name, seconds:: of the build
      # root:: the only bundle's folder that the result is valid for, or nil
      # removed:: paths of the package that the build deleted, relative to the bundle's folder
      # programs:: [[name, path or ""]]: programs looked for on the PATH, and their paths (see Trace::Programs)
      # walks:: [Trace::Walk]: names looked for in the folders above the bundle
      # missed:: [[variable, path]]: missing paths in the folders that a variable names, and, with "" for a variable,
      #   absolute
      #          paths in folders above the bundle ("~" for the home)
      # words, names:: Trace::Words of the texts it read, as text; variables among them whose values are inputs
      # signer:: [key's id, Unix time] of its signer, if it came from a team's cache
      # sees:: [[key's id, Unix time]] of the signed builds that it saw
      Record = Struct.new(:full_name, :seconds, :root, :removed, :programs, :walks, :missed, :words, :names, :signer,
                          :sees, keyword_init: true) do
        # Parses bytes, since a file's name may be invalid text. Skips lines of later versions.
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

        # Whether a path stays in the bundle. This matters because the named file will be deleted.
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

      # Files of a package to remove before a stored build is linked over them: those that the build removed or changed,
      # and paths that are a folder in only one of the two trees.
      module Removals
        module_function

        # manifest: of the build, with paths relative to root. below: prefix of the package's paths. Yields absolute
        # paths of files, links and whole folders. The caller must remove each path at once.
        def each(manifest, root, below: "", &block)
          removed = Builder.removed(manifest).map { |path| "#{root}/#{path}" }
          removed.select { |path| Trace::Content.there?(path) }.each(&block)
          manifest.paths.each_with_index do |path, index|
            next unless path.start_with?(below)

            place = "#{root}/#{path}"
            next if !Trace::Content.there?(place) || (folder?(place) && manifest.entry(index)[:type] == :directory)

            block.call(place)
          end
        end

        def folder?(path) = File.directory?(path) && !File.symlink?(path)
      end
    end
  end
end
