# frozen_string_literal: true

module Spate
  module CompileCache
    # The files that the last boot of each kind (a server, a console, a rake task) loaded, in load order. Folders of the
    # load path are listed like files, with a trailing slash. Stored as text. The number before a path is the sum of the
    # bits of the kinds that loaded it.
    #
    #   spate-recording 1
    #   kind<TAB>1<TAB>1700000000<TAB>rails server
    #   kind<TAB>2<TAB>1700000100<TAB>rake
    #   <empty line>
    #   3<TAB>/home/me/app/config/boot.rb
    class Recording
      HEADER = "spate-recording 1"
      # The maximum number of kinds. A new kind replaces the one with the oldest last boot.
      KINDS = 8
      PATHS = 50_000

      # bit: an Integer with one bit set; time: Unix time of its last boot; name: e.g. "rails server".
      Kind = Struct.new(:bit, :time, :name)

      class << self
        # Returns the recording at `path`, which is empty if the file is missing or damaged.
        def load(path)
          parse(File.read(path, encoding: Encoding::UTF_8))
        rescue SystemCallError
          new
        end

        # Merges the files of Boot::Background::LoadedFiles into the recording, saves it, and removes these files.
        # Returns the new recording.
        def collect(path)
          recording = load(path)
          left = Boot::Background::LoadedFiles.all(path).sort_by { |file| File.mtime(file) }
          left.last(Boot::Background::LoadedFiles::KEPT).each do |file|
            kind, paths, whole = Boot::Background::LoadedFiles.read(file)
            recording = recording.with(kind, paths, time: File.mtime(file), whole: whole) if kind
          end
          recording.save(path) if left.any?
          left.each { |file| File.unlink(file) }
          recording
        rescue Errno::ENOENT
          retry # another process has removed a file
        end

        private

        def parse(text)
          return new unless text.valid_encoding? && text.start_with?("#{HEADER}\n")

          head, body = text.split("\n\n", 2)
          kinds = head.split("\n").drop(1).map { |line| line.split("\t", 4) }
                      .map { |_, bit, time, name| Kind.new(bit.to_i, time.to_i, name.to_s) }
          paths = body.to_s.split("\n").map { |line| line.split("\t", 2) }
          new(kinds, paths.filter_map { |bits, path| [path, bits.to_i] if path&.start_with?("/") }.to_h)
        end
      end

      attr_reader :kinds

      # paths: {path => bits}, in load order.
      def initialize(kinds = [], paths = {})
        @kinds = kinds
        @bits = paths
      end

      # Files, in load order.
      def paths = @bits.keys.reject { |path| path.end_with?("/") }
      # Folders that were in $LOAD_PATH at the end of a boot, without trailing slash.
      def folders = @bits.keys.select { |path| path.end_with?("/") }.map { |path| path.delete_suffix("/") }
      def empty? = @bits.empty?

      # Returns a recording that also includes a boot of the kind `name`, which loaded the files `loaded`. Files of the
      # kind that was recorded first stay at the front. whole: whether the program had ended. If not, the files that
      # the previous boot of this kind loaded are kept, because the program may still load them.
      def with(name, loaded, time: Time.now, whole: true)
        name = name.tr("\t\n", "  ")
        loaded = loaded.select { |path| keepable?(path) }.uniq
        loaded |= of(name) unless whole
        kinds, bits = without(name)
        kind = Kind.new(free_bit(kinds), time.to_i, name)
        leading = kinds.empty? || name == @kinds.first&.name
        loaded_bits = loaded.to_h { |path| [path, kind.bit | bits.fetch(path, 0)] }
        paths = leading ? loaded_bits.merge(bits.except(*loaded)) : bits.merge(loaded_bits)
        Recording.new(leading ? [kind, *kinds] : [*kinds, kind], paths.first(PATHS).to_h)
      end

      def save(path) = Util::Files.write(path, to_s, permissions: 0o600)

      def to_s
        kinds = @kinds.map { |kind| "kind\t#{kind.bit}\t#{kind.time}\t#{kind.name}\n" }
        "#{HEADER}\n#{kinds.join}\n#{@bits.map { |path, bits| "#{bits}\t#{path}\n" }.join}"
      end

      private

      def of(name)
        mask = @kinds.select { |kind| kind.name == name }.sum(&:bit)
        @bits.filter_map { |path, bits| path if bits & mask != 0 }
      end

      # Accepts only valid UTF-8 without newlines, because paths are stored as lines.
      def keepable?(path) = path.valid_encoding? && path.start_with?("/") && !path.include?("\n")

      # The kinds and paths without the named kind and, if there are too many, without the oldest kind.
      def without(name)
        gone = @kinds.select { |kind| kind.name == name }
        rest = @kinds - gone
        gone << rest.delete(rest.min_by(&:time)) if rest.size >= KINDS
        mask = ~gone.sum(&:bit)
        [rest, @bits.filter_map { |path, bits| [path, bits & mask] if bits & mask != 0 }.to_h]
      end

      def free_bit(kinds)
        taken = kinds.sum(&:bit)
        (0..KINDS).map { |number| 1 << number }.find { |bit| taken & bit == 0 }
      end
    end
  end
end
