# frozen_string_literal: true

require_relative "../version"

module Spate
  module Gemfile
    # A cached result of Bundler, which is valid while its inputs are unchanged: whether Gemfile and lockfile match
    # (Check), or the effects of Bundler.setup (Setup::Record). The bytes begin with a line that contains the format and
    # the version of Spate, because other versions may need other facts. Head and parts follow. Each is marshalled
    # separately, so that unused parts need not be loaded. Checksum and owner are checked by the containing file.
    #
    #   head  fingerprint    see Fingerprint
    #         gemfile, root  paths of the application
    #         ruby           see Record.ruby
    #         refused        why Bundler has to run each time (String), or nil if the record can be used
    #         again          whether another attempt may succeed with the same fingerprint
    #         signer         [key id, Unix time] of the machine that ran Bundler, or nil for this machine
    #         folder         the required working directory, if the Gemfile depends on it
    class Record
      NAME = "SPATE BUNDLER "
      MAGIC = "#{NAME}1 #{VERSION}\n".freeze
      Place = Struct.new(:gemfile, :root)

      # head: the entries of the table above except gemfile, root and ruby. parts: plain values.
      def self.of(location, head, *parts)
        new(bytes({ gemfile: location.gemfile, root: location.root, ruby: ruby, **head }, *parts))
      end

      def self.bytes(head, *parts) = MAGIC.b << Marshal.dump([head, *parts.map { |part| Marshal.dump(part) }])

      # Identifies the Ruby interpreter.
      def self.ruby = [Util::Ruby.description, RUBY_PLATFORM]

      attr_reader :bytes

      def initialize(bytes)
        @bytes = bytes
      end

      def ==(other) = other.is_a?(Record) && other.bytes == bytes
      alias eql? ==
      def hash = bytes.hash

      # Returns true, or the reason (String) why the record cannot be used in this environment. place: the application's
      # current paths.
      def usable?(env, place = nil)
        unreadable || refused || another_ruby || another_folder || change(env, place || self.place) || true
      end

      # Whether `usable?` had to compare contents because times have changed. A new record would be faster to check.
      def times_changed? = @times_changed == true

      # Whether the record would be usable in a different environment.
      def other_environment?(env)
        !unreadable && !refused && !another_ruby && Fingerprint.elsewhere?(head[:fingerprint], place, env)
      end

      # Returns the reason (String) why the record cannot be read, or nil.
      def unreadable
        return if parts

        line = @bytes.byteslice(0, @bytes.index("\n").to_i + 1)
        foreign = line.start_with?(NAME) && line != MAGIC
        foreign ? "the record was made by another Spate" : "the record is damaged"
      end

      # Returns the reason (String) why Bundler has to run each time, or nil. Also returns nil if the record cannot be
      # read.
      def refused = (head[:refused] if parts)

      # Whether a new record should be written: this one cannot be read, its inputs have changed, or its inputs were
      # changing when it was written. Returns false if a new record would be the same: the program only runs in another
      # folder, or the inputs of a refusal are unchanged.
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

      # Compares by inode, because the folder's path may contain symbolic links.
      def another_folder
        folder = head[:folder]
        "the program runs in another folder than #{folder}" unless folder.nil? || File.identical?(".", folder)
      end

      def change(env, place)
        change = Fingerprint.change(head[:fingerprint], place, env)
        @times_changed = change == :renew
        change unless @times_changed
      end

      def place = Place.new(*head.values_at(:gemfile, :root))

      # Records of one application, newest first. Each one is for a different environment (RAILS_ENV, BUNDLE_WITHOUT) or
      # git branch.
      class List
        MOST = 4

        # records: [Record]
        def initialize(records)
          @records = records
        end

        def to_a = @records
        def empty? = @records.empty?

        # Returns [record, true] for the first usable record, otherwise [nil, reason of the newest record].
        def choose(env, *place)
          reasons = @records.map do |record|
            usable = record.usable?(env, *place)
            return [record, true] if usable == true

            usable
          end
          [nil, reasons.first]
        end

        # Whether a new record should be written if none is usable.
        def outdated?(env) = @records.all? { |record| record.outdated?(env) }

        # The list with a new record. If there are too many, the oldest one is removed.
        def with(record) = List.new([record, *(@records - [record])].first(MOST))

        # [Record] for other environments, to keep in addition to a new one.
        def others(env) = @records.select { |record| record.other_environment?(env) }.first(MOST - 1)
      end
    end
  end
end
