# frozen_string_literal: true

module Spate
  module Server
    # The table of attacks. Each attack misuses a protocol, names the limit that ends it, and has variants that send raw
    # bytes. benchmark/attacks generates docs/attacks.md from it.
    module Attacks
      # names: CVEs, or nil. over: :http2 or :http1. ends: see Assault. slow: takes seconds, so it runs concurrently
      # with others, on a server with short timeouts.
      MEMBERS = %i[attack names limit over name ends slow peers act].freeze
      Variant = Struct.new(*MEMBERS, keyword_init: true) do
        def title = "#{title_of_attack}: #{name}"
        def title_of_attack = "#{"HTTP/1.1, " if over == :http1}#{attack}"

        # Returns the attacking client.
        def peer(port) = over == :http1 ? AttackClient.new(port) : AttackPeer.new(port)
      end

      # Timeouts that are short enough for a test.
      QUICK = { settings_seconds: 1, head_seconds: 1, body_seconds: 1, response_seconds: 1, idle: 3 }.freeze

      def self.all = @all ||= []
      def self.quick = all.reject(&:slow)
      def self.slow(over) = all.select { |variant| variant.slow && variant.over == over }

      # Variants that follow belong to this attack.
      def self.attack(name, names, limit, over: :http2)
        @current = { attack: name, names: names, limit: limit, over: over }
        yield
      end

      # An attack over HTTP/1.1.
      def self.plain(name, limit, &variants) = attack(name, nil, limit, over: :http1, &variants)

      def self.variant(name, ends, slow: false, peers: 1, &act)
        all << Variant.new(**@current, name: name, ends: ends, slow: slow, peers: peers, act: act)
      end
    end
  end
end

%w[resets control frames windows fields bodies slow].each { |name| require_relative "attacks/#{name}" }
%w[heads bodies connections slow].each { |name| require_relative "attacks/http1_#{name}" }
