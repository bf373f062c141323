# frozen_string_literal: true

module Spate
  module HTTP
    # Logins from ~/.netrc (or the file named by $NETRC). Format: "machine HOST login USER password WORD", with tokens
    # separated by white space. "default" matches all other hosts. "macdef" up to an empty line is ignored. "#" comments
    # and quotes are supported.
    class Netrc
      # warn: called with (message, hint) if the file is ignored because of its permissions.
      def self.load(env, &warn)
        path = env["NETRC"]
        path = File.join(env["HOME"].to_s, ".netrc") if path.nil? || path.empty?
        mode = File.stat(path).mode
        return new(File.read(path)) if mode & 0o077 == 0

        warn&.call(format("%s can be read by other users (mode %04o) and is not used", path, mode & 0o777),
                   "run `chmod 600 #{path}`")
        new("")
      rescue SystemCallError
        new("")
      end

      def initialize(text)
        @logins = {} # host => [user, password]
        @default = nil
        parse(text)
      end

      # Returns "user:password", percent-encoded, or nil.
      def for(host)
        user, password = @logins[host.to_s.downcase] || @default
        return unless user

        require "uri"
        [user, password].compact.map { |part| URI.encode_www_form_component(part) }.join(":")
      end

      private

      TOKEN = /"((?:[^"\\]|\\.)*)"|([^\s"]\S*)/

      def parse(text)
        tokens = tokens(text)
        while (token = tokens.shift)
          case token
          when "machine" then @logins[tokens.shift.to_s.downcase] ||= login(tokens)
          when "default" then @default ||= login(tokens)
          end
        end
      end

      def login(tokens)
        facts = {}
        facts[tokens.shift] = tokens.shift while %w[login password account].include?(tokens.first)
        [facts["login"], facts["password"]] if facts["login"]
      end

      def tokens(text)
        text = text.gsub(/^\s*macdef\b.*?(?:\n\s*\n|\z)/m, "\n").gsub(/(^|\s)#.*$/, '\1')
        text.scan(TOKEN).map { |quoted, plain| plain || quoted.gsub(/\\(.)/, '\1') }
      end
    end
  end
end
