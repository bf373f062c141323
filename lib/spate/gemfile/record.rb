# frozen_string_literal: true

require_relative "../version"

module Spate
  module Gemfile
    # An answer of Bundler, cached as long as its inputs are unchanged: whether Gemfile and lockfile agree (Check), or
    # the effects of Bundler.setup. The bytes begin with a line that names the format and the version of Spate, since
    # another version may need other facts. Head and parts follow, each marshalled separately so that a step reads only
    # the parts it needs. The file that contains the bytes checks checksum and owner.
    #
    #   head  fingerprint    see Fingerprint
    #         gemfile, root  of the application that Bundler answered for
    #         ruby           see Record.ruby
    #         refused        why Bundler has to run each time (String), nil if the record can be used
    #         again          whether that may change while the fingerprint stays the same
    #         signer         [key's id, Unix time] of the machine that ran Bundler, nil for this one
    #         folder         in which the program has to run, if the Gemfile depends on it
    class Record
      NAME = "SPATE BUNDLER "
      MAGIC = "#{NAME}1 #{VERSION}\n".freeze
      Place = Struct.new(:gemfile, :root)

      # head: the rows of the table above except place and Ruby. parts: plain values.
      def self.of(location, head, *parts)
        new(bytes({ gemfile: location.gemfile, root: location.root, ruby: ruby, **head }, *parts))
      end

      def self.bytes(head, *parts) = MAGIC.b << Marshal.dump([head, *parts.map { |part| Marshal.dump(part) }])

      # Identifies the interpreter.
      def self.ruby = [Util::Ruby.description, RUBY_PLATFORM]

      attr_reader :bytes

      def initialize(bytes)
        @bytes = bytes
      end

      def ==(other) = other.is_a?(Record) && other.bytes == bytes
      alias eql? ==
      def hash = bytes.hash

      # true, or the reason (String) why the record may not be used in this environment: one of Bundler's inputs has
      # changed. place: the current place of the application.
      def usable?(env, place = nil)
        unreadable || refused || another_ruby || another_folder || change(env, place || self.place) || true
      end

      # Whether `usable?` had to compare contents, so that a new record would be faster to check.
      def worn? = @worn == true

      # Whether the record is usable, but in another environment.
      def other_environment?(env)
        !unreadable && !refused && !another_ruby && Fingerprint.elsewhere?(head[:fingerprint], place, env)
      end

      # The reason (String) why the record cannot be read, or nil.
      def unreadable
        return if parts

        line = @bytes.byteslice(0, @bytes.index("\n").to_i + 1)
        foreign = line.start_with?(NAME) && line != MAGIC
        foreign ? "the record was made by another Spate" : "the record is damaged"
      end

      # The reason (String) why Bundler has to run; nil if it need not, or if the record cannot be read.
      def refused = (head[:refused] if parts)

      # Whether making a new record is worthwhile: this one cannot be read, or is for another bundle than the current
      # one, or Bundler's inputs were changing when it was made. If a program merely runs in another folder than the
      # Gemfile expects, or the fingerprint of a refusal is unchanged, a new record would be the same.
      def outdated?(env)
        return true unless parts
        return !another_folder unless refused

        head[:again] == true || (head[:fingerprint] && !change(env, place).nil?) || false
      end

      def signer = (head[:signer] if parts)
      def head = parts[0]
      def part(index) = (@loaded ||= {})[index] ||= load(parts[index + 1])

      private

      def parts
        @parts ||= (load(@bytes.byteslice(MAGIC.bytesize..)) if @bytes.start_with?(MAGIC))
      rescue ArgumentError, TypeError
        nil
      end

      def load(bytes) = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad -- from a file of this user's

      def another_ruby
        "this is another Ruby: #{RUBY_DESCRIPTION}" unless head[:ruby] == self.class.ruby
      end

      # The folder may be given through a symbolic link.
      def another_folder
        folder = head[:folder]
        "the program runs in another folder than #{folder}" unless folder.nil? || File.identical?(".", folder)
      end

      def change(env, place)
        change = Fingerprint.change(head[:fingerprint], place, env)
        @worn = change == :renew
        change unless @worn
      end

      def place = Place.new(*head.values_at(:gemfile, :root))

      # Records of one application, newest first. Their inputs differ by environment (RAILS_ENV, BUNDLE_WITHOUT) or by
      # the branch that was checked out.
      class List
        MOST = 4

        # records: [Record]
        def initialize(records)
          @records = records
        end

        def to_a = @records
        def empty? = @records.empty?

        # [record, true] for the first usable one, otherwise [nil, the newest one's reason].
        def choose(env, *place)
          reasons = @records.map do |record|
            usable = record.usable?(env, *place)
            return [record, true] if usable == true

            usable
          end
          [nil, reasons.first]
        end

        # Whether making a new record is worthwhile if none is usable.
        def outdated?(env) = @records.all? { |record| record.outdated?(env) }

        # The list with a new record, which replaces the oldest if there are too many.
        def with(record) = List.new([record, *(@records - [record])].first(MOST))

        # [Record] for other environments, which are kept beside a new one.
        def others(env) = @records.select { |record| record.other_environment?(env) }.first(MOST - 1)
      end
    end
  end
end
