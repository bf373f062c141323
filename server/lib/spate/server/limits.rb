# frozen_string_literal: true

module Spate
  module Server
    # Limits on what a peer may use: bytes, counts and seconds, each with a safe default. DEFINITIONS lists all limits
    # with names, defaults and the command's help texts. Each limit has a reader and a writer. nil means "no limit", if
    # the limit is optional.
    class Limits
      autoload :Budget, "spate/server/limits/budget"
      autoload :MinimumRate, "spate/server/limits/rates"
      autoload :TokenBucket, "spate/server/limits/rates"
      autoload :WindowPool, "spate/server/limits/windows"
      autoload :WindowQuota, "spate/server/limits/windows"

      # Time in which a peer may still send the rest of a request that was already answered, in seconds: LINGER since
      # the last byte, LINGER_MOST in total.
      LINGER = 2
      LINGER_MOST = 30

      # group: heading in the help. unit: unit of the value. least: the smallest valid value. optional: whether nil is
      # valid.
      # @!visibility private
      Definition = Struct.new(:name, :default, :group, :unit, :least, :optional, :text, keyword_init: true)

      def self.define(name, default, unit, text, least: 1, optional: false)
        DEFINITIONS << Definition.new(name: name, default: default, group: @group, unit: unit, least: least,
                                      optional: optional, text: text).freeze
      end

      def self.group(name)
        @group = name
        yield
      end
      private_class_method :define, :group

      DEFINITIONS = [] # rubocop:disable Style/MutableConstant -- frozen below

      group "Connections" do
        define :connections, 10_000, "N", "open connections; further ones are closed at once"
        define :idle, 60, "SECONDS", "a connection without a request, even if its peer sends other frames"
        define :drain, 10, "SECONDS", "for open requests when the server stops", least: 0
      end

      group "Requests" do
        define :streams, 100, "N", "concurrent requests of a connection (SETTINGS_MAX_CONCURRENT_STREAMS)"
        define :header_bytes, 32_768, "BYTES", "fields of a request, plus 32 for each (SETTINGS_MAX_HEADER_LIST_SIZE)",
               least: 256
        define :header_fields, 128, "N", "fields of a request", least: 8
        define :header_block, 65_536, "BYTES", "compressed fields of a request", least: 256
        define :continuations, 16, "N", "CONTINUATION frames of one header block", least: 0
        define :body, nil, "BYTES", "a request's body", least: 0, optional: true
      end

      group "Windows" do
        define :stream_window, 1 << 20, "BYTES", "unread bytes of a request's body"
        define :connection_window, 8 << 20, "BYTES", "unread bytes of all requests of a connection", least: 65_535
        define :windows, 128 << 20, "BYTES", "unread bytes of all connections of a process, beyond 64 KB for each",
               least: 0
      end

      group "Bodies for Rack applications" do
        define :body_buffer, 256 << 20, "BYTES", "buffered bytes of a request's body before the application is " \
                                                 "called, above 64 KB in a temporary file; 0: stream all bodies",
               least: 0
        define :body_buffer_total, 1 << 30, "BYTES", "temporary files of all bodies of a process; beyond that, 503"
        define :body_rate, 10_000, "BYTES", "minimum per second of a body that a thread waits for, or of any body " \
                                            "while half of the buffer space is used", least: 0
      end

      group "Time" do
        define :handshake_seconds, 10, "SECONDS", "for the TLS handshake"
        define :settings_seconds, 10, "SECONDS", "until the peer acknowledges our SETTINGS"
        define :head_seconds, 10, "SECONDS", "for all fields of a request; for a connection's first bytes"
        define :body_seconds, 30, "SECONDS", "over which a request's body must keep the minimum rate"
        define :response_seconds, 30, "SECONDS", "over which a peer must read at the minimum rate"
        define :minimum_rate, 240, "BYTES", "minimum per second of a peer that sends or reads"
        define :request_seconds, nil, "SECONDS", "for a request and its response", optional: true
      end

      group "Floods" do
        define :control_frames, 1000, "N", "frames besides requests (resets, pings, settings, empty frames ...) and " \
                                            "tiny chunks, in one burst"
        define :control_frames_per_second, 50, "N", "the same, per second in the long run", least: 0
        define :frames_per_tick, 250, "N", "frames, or requests and chunks, of a connection in one tick of the event " \
                                          "loop"
      end

      DEFINITIONS.freeze
      NAMES = DEFINITIONS.map(&:name).freeze
      NAMES.each { |name| attr_accessor name }

      # Returns the default limits with changes: `Limits.new(idle: 5)`.
      #
      # @param changes [Hash{Symbol => Numeric, nil}] name => value
      # @raise [ArgumentError] for an unknown name or an invalid value
      def initialize(**changes)
        DEFINITIONS.each { |limit| instance_variable_set(:"@#{limit.name}", limit.default) }
        changes.each { |name, value| self[name] = value }
      end

      # @return [Limits] all limits with their default values
      def self.defaults = new

      # @param name [Symbol]
      # @return [Definition, nil] the limit's definition; nil for an unknown name
      def self.[](name) = DEFINITIONS.find { |limit| limit.name == name }

      # @param name [Symbol]
      # @return [Numeric, nil] the limit's value
      def [](name) = public_send(name)

      # Changes a limit.
      #
      # @param name [Symbol]
      # @param value [Numeric, nil]
      # @raise [ArgumentError] for an unknown name or an invalid value
      def []=(name, value)
        definition = self.class[name] or raise ArgumentError, "unknown limit #{name}"
        fault = fault(definition, value)
        raise ArgumentError, "#{name} is #{value.inspect}: #{fault}" if fault

        public_send(:"#{name}=", value)
      end

      # @return [Hash{Symbol => Numeric, nil}] name => value
      def to_h = NAMES.to_h { |name| [name, self[name]] }

      private

      def fault(definition, value)
        return definition.optional ? nil : "a limit is required" if value.nil?
        return "not a number" unless value.is_a?(Numeric)

        "the minimum is #{definition.least}" if value < definition.least
      end
    end
  end
end
