# frozen_string_literal: true

module Spate
  module Server
    # What a peer may take of us: bytes, counts and seconds, each with a default that is safe as it is. MEANINGS is the
    # one list of them: the members, their defaults, and what the command's help says. nil is "no limit", where a limit
    # may be none.
    class Limits
      # group: heading of the help. unit: what the value is. least: the smallest that makes sense. optional: may be nil.
      Meaning = Struct.new(:name, :default, :group, :unit, :least, :optional, :text, keyword_init: true)

      def self.meaning(name, default, unit, text, least: 1, optional: false)
        MEANINGS << Meaning.new(name: name, default: default, group: @group, unit: unit, least: least,
                                optional: optional, text: text).freeze
      end

      def self.group(name)
        @group = name
        yield
      end
      private_class_method :meaning, :group

      MEANINGS = [] # rubocop:disable Style/MutableConstant -- frozen below

      group "Connections" do
        meaning :connections, 10_000, "N", "connections at once; more are closed at the door"
        meaning :idle, 60, "SECONDS", "a connection without a request, whatever else its peer sends"
        meaning :drain, 10, "SECONDS", "what open requests have when the server stops", least: 0
      end

      group "Requests" do
        meaning :streams, 100, "N", "requests of a connection at once (SETTINGS_MAX_CONCURRENT_STREAMS)"
        meaning :header_bytes, 32_768, "BYTES", "a request's fields, 32 added for each (SETTINGS_MAX_HEADER_LIST_SIZE)",
                least: 256
        meaning :header_fields, 128, "N", "a request's fields", least: 8
        meaning :header_block, 65_536, "BYTES", "a request's fields as they are compressed", least: 256
        meaning :continuations, 16, "N", "CONTINUATION frames of one header block", least: 0
        meaning :body, nil, "BYTES", "a request's body", least: 0, optional: true
      end

      group "Windows" do
        meaning :stream_window, 1 << 20, "BYTES", "what a peer may send before the handler reads it, a request"
        meaning :connection_window, 8 << 20, "BYTES", "the same, all requests of a connection", least: 65_535
        meaning :windows, 128 << 20, "BYTES", "the same, all connections of a process, beyond 64 KB for each of them",
                least: 0
      end

      group "Bodies for Rack applications" do
        meaning :gathered, 256 << 20, "BYTES", "what is read of a request's body before the application is called, " \
                                               "past 64 KB in a temporary file; the rest of it flows (0: all of it)",
                least: 0
        meaning :gathered_in_all, 1 << 30, "BYTES", "what such files of a process take together; who needs more " \
                                                    "is answered with 503"
        meaning :awaited, 10_000, "BYTES", "what a peer sends a second of a body that is waited for: by a " \
                                           "thread, or by others when half of the room is taken", least: 0
      end

      group "Time" do
        meaning :handshake_seconds, 10, "SECONDS", "TLS's handshake"
        meaning :settings_seconds, 10, "SECONDS", "until the peer acknowledges our SETTINGS"
        meaning :head_seconds, 10, "SECONDS", "a request's fields from the first byte to the last; a connection's " \
                                              "first bytes"
        meaning :body_seconds, 30, "SECONDS", "in which a request's body must come on by slowest (or awaited) * " \
                                              "SECONDS bytes"
        meaning :response_seconds, 30, "SECONDS", "in which a peer must take slowest * SECONDS bytes of a response"
        meaning :slowest, 240, "BYTES", "what a peer sends or takes a second at the least"
        meaning :request_seconds, nil, "SECONDS", "a whole request and its response", optional: true
      end

      group "Patience" do
        meaning :annoyances, 1000, "N", "frames that make work and are no requests (resets, pings, settings, empty " \
                                        "frames ...), and tiny chunks, in one burst"
        meaning :annoyances_a_second, 50, "N", "and for ever", least: 0
        meaning :frames_a_turn, 250, "N", "frames, or requests and chunks, of a connection before the others have " \
                                        "their turn"
      end

      MEANINGS.freeze
      NAMES = MEANINGS.map(&:name).freeze
      attr_accessor(*NAMES)

      # The defaults, and what is to differ: Limits.new(idle: 5). ArgumentError for a name or a value that is none.
      def initialize(**changes)
        MEANINGS.each { |meaning| instance_variable_set(:"@#{meaning.name}", meaning.default) }
        changes.each { |name, value| self[name] = value }
      end

      # All limits as they are where nobody says otherwise.
      def self.defaults = new

      # What a limit means, nil for an unknown name.
      def self.[](name) = MEANINGS.find { |meaning| meaning.name == name }

      def [](name) = public_send(name)

      def []=(name, value)
        meaning = self.class[name] or raise ArgumentError, "#{name} is no limit"
        fault = fault(meaning, value)
        raise ArgumentError, "#{name} is #{value.inspect}: #{fault}" if fault

        public_send(:"#{name}=", value)
      end

      def to_h = NAMES.to_h { |name| [name, self[name]] }

      private

      def fault(meaning, value)
        return meaning.optional ? nil : "there must be a limit" if value.nil?
        return "no number" unless value.is_a?(Numeric)

        "#{meaning.least} is the least" if value < meaning.least
      end
    end
  end
end
