# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # An access key: id and secret, with the token of one that ends. ends: Time, or nil.
      Credentials = Struct.new(:id, :secret, :token, :ends) do
        # As container and instance roles and credential_process give them: a JSON text. nil where that is none.
        def self.from_json(text)
          require "json"
          facts = JSON.parse(text)
          return unless facts.is_a?(Hash)

          words(*facts.values_at("AccessKeyId", "SecretAccessKey"), facts["Token"] || facts["SessionToken"],
                facts["Expiration"])
        rescue JSON::ParserError
          nil
        end

        # As STS gives them.
        def self.from_xml(text)
          words(*%w[AccessKeyId SecretAccessKey SessionToken Expiration].map { |name| XML.value(text, name) })
        end

        # Whoever answers at such an address: what is no word counts as not said.
        def self.words(*facts)
          id, secret, token, ends = facts.map { |fact| fact if fact.is_a?(String) && fact.b.match?(/\A[!-~]+\z/) }
          new(id, secret, token, time(ends)) if id && secret
        end

        # What is no time ends at once, and is asked for again.
        def self.time(text)
          return unless text

          require "time"
          Time.iso8601(text)
        rescue ArgumentError
          Time.now
        end
        private_class_method :time, :words

        # Whether they serve for so many more seconds.
        def serve?(seconds = 0) = ends.nil? || ends > Time.now + seconds

        def inspect = "#<#{self.class} #{id}>"
      end
    end
  end
end
