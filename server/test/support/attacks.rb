# frozen_string_literal: true

module Spate
  module Server
    # The attacks that the server withstands, as a table: each a way to misuse the protocol, the limit that ends it, and
    # variants by raw bytes. docs/attacks.md is made of it by benchmark/attacks.
    module Attacks
      # names: one CVE or several, or none. ends: see Assault. slow: takes seconds, is run beside others on a server
      # whose limits of time are small.
      Variant = Struct.new(:attack, :names, :limit, :name, :ends, :slow, :peers, :act, keyword_init: true) do
        def title = "#{attack}: #{name}"
      end

      # Limits of time that a test can wait for.
      QUICK = { settings_seconds: 1, head_seconds: 1, body_seconds: 1, response_seconds: 1, idle: 3 }.freeze

      def self.all = @all ||= []

      # Variants that follow belong to this attack.
      def self.attack(name, names, limit)
        @current = { attack: name, names: names, limit: limit }
        yield
      end

      def self.variant(name, ends, slow: false, peers: 1, &act)
        all << Variant.new(**@current, name: name, ends: ends, slow: slow, peers: peers, act: act)
      end
    end
  end
end

%w[resets control frames windows fields bodies slow].each { |name| require_relative "attacks/#{name}" }
