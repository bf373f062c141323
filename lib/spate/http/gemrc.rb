# frozen_string_literal: true

module Spate
  module HTTP
    # The parts of RubyGems' configuration that Bundler also uses: the proxy and TLS files. Reads /etc/gemrc, the user's
    # file, and the files in $GEMRC, without RubyGems. Later files take precedence.
    class Gemrc
      KEYS = %w[http_proxy ssl_ca_cert ssl_client_cert ssl_verify_mode].freeze

      def self.load(env)
        home = env["HOME"].to_s
        config = env["XDG_CONFIG_HOME"] || File.join(home, ".config")
        user = [File.join(home, ".gemrc"), File.join(config, "gem", "gemrc")].find { |path| File.file?(path) }
        paths = ["/etc/gemrc", user, *env["GEMRC"].to_s.split(/[:;]/)].compact
        new(paths.map { |path| read(path) }.reduce({}, :merge))
      end

      # Returns {name => value} of one file, without the colon of symbols. Returns {} if the file is missing or not
      # YAML.
      def self.read(path)
        return {} unless File.file?(path)

        text = File.binread(path)
        # most files have only documentation settings, and Psych is large
        return {} unless text.match?(/#{KEYS.join("|")}/)

        require "psych"
        parse(text)
      rescue SystemCallError
        {}
      end

      def self.parse(text)
        content = Psych.safe_load(text.force_encoding(Encoding::UTF_8), permitted_classes: [Symbol])
        content.is_a?(Hash) ? content.transform_keys { |key| key.to_s.delete_prefix(":") }.slice(*KEYS) : {}
      rescue Psych::Exception
        {}
      end
      private_class_method :read, :parse

      def initialize(values)
        @values = values
      end

      # Returns a String, an Integer (ssl_verify_mode), :none for `http_proxy: :no_proxy`, or nil.
      def [](key)
        value = @values[key]
        %w[no_proxy :no_proxy].include?(value.to_s) ? :none : value
      end
    end
  end
end
