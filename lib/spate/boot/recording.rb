# frozen_string_literal: true

module Spate
  module Boot
    # What the last boots of an application loaded, in load order: the union over kinds of boot (a server, a console, a
    # rake task), of each kind the last. Folders of the load path are kept beside the files, with a final slash. Kept as
    # text; a path's number says in which kinds it was loaded.
    #
    #   spate-recording 1
    #   kind<TAB>1<TAB>1700000000<TAB>rails server
    #   kind<TAB>2<TAB>1700000100<TAB>rake
    #   <empty line>
    #   3<TAB>/home/me/app/config/boot.rb
    class Recording
      autoload :Drop, "#{__dir__}/recording/drop"

      HEADER = "spate-recording 1"
      # The kind that was not seen for the longest time makes room for a new one.
      KINDS = 8
      PATHS = 50_000
      # Outcomes after which the images should be made again.
      NEWS = %i[miss stale revalidated damaged].freeze

      # bit: Integer with one bit; time: of its last boot, seconds since the epoch; name: e.g. "rails server".
      Kind = Struct.new(:bit, :time, :name)

      # Whether a boot loaded anything that its images had not: recorded as Native::Loader.recorded has it. images:
      # those of the application that were open; what came out of images of single gems is still to be put in order.
      def self.news?(recorded, *images)
        recorded.any? { |_, outcome| NEWS.include?(outcome) } || recorded.size > images.compact.sum(&:count)
      end

      # The recording at a path; an empty one where there is none, or a damaged one.
      def self.load(path)
        parse(File.read(path, encoding: Encoding::UTF_8))
      rescue SystemCallError
        new
      end

      def self.parse(text)
        return new unless text.valid_encoding? && text.start_with?("#{HEADER}\n")

        head, body = text.split("\n\n", 2)
        lines = head.split("\n").drop(1)

        kinds = lines.map { |line| line.split("\t", 4) }
                     .map { |_, bit, time, name| Kind.new(bit.to_i, time.to_i, name.to_s) }
        paths = body.to_s.split("\n").map { |line| line.split("\t", 2) }
        new(kinds, paths.filter_map { |bits, path| [path, bits.to_i] if path&.start_with?("/") }.to_h)
      end

      attr_reader :kinds

      # paths: path => bits, in order.
      def initialize(kinds = [], paths = {})
        @kinds = kinds
        @bits = paths
      end

      # Files, in load order.
      def paths = @bits.keys.reject { |path| path.end_with?("/") }
      # Folders that $LOAD_PATH had in the end, without final slash.
      def folders = @bits.keys.select { |path| path.end_with?("/") }.map { |path| path.delete_suffix("/") }
      def empty? = @bits.empty?

      # The recording with another boot in it. The order is that of the first kind. whole: whether the program had
      # ended; a boot that went on may still load what earlier ones of its kind did.
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

      # Writes beside the path and renames.
      def save(path)
        temporary = "#{path}.#{Process.pid}-#{Random.urandom(8).unpack1("H*")}"
        File.write(temporary, to_s, perm: 0o600)
        File.rename(temporary, path)
      rescue SystemCallError
        File.unlink(temporary) if File.exist?(temporary)
        raise
      end

      def to_s
        kinds = @kinds.map { |kind| "kind\t#{kind.bit}\t#{kind.time}\t#{kind.name}\n" }
        "#{HEADER}\n#{kinds.join}\n#{@bits.map { |path, bits| "#{bits}\t#{path}\n" }.join}"
      end

      private

      def of(name)
        mask = @kinds.select { |kind| kind.name == name }.sum(&:bit)
        @bits.filter_map { |path, bits| path if bits & mask != 0 }
      end

      # A text of lines, in UTF-8.
      def keepable?(path) = path.valid_encoding? && path.start_with?("/") && !path.include?("\n")

      # Kinds and paths without those of the name, and without the oldest where there are too many.
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
