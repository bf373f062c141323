# frozen_string_literal: true

module Spate
  module HTTP
    # Resolves the target of a redirect.
    module Redirect
      module_function

      # [URI, whether what the first address is given as credentials is for that one, too]. Raises Misdirected and
      # InsecureRedirect.
      def read(uri, location)
        target = uri.merge(location)
        raise Misdirected.new(uri, location) if !target.is_a?(URI::HTTP) || target.host.to_s.empty?
        raise InsecureRedirect.new(uri, target) if uri.scheme == "https" && target.scheme != "https"

        [target, same_host?(uri, target)]
      rescue URI::Error
        raise Misdirected.new(uri, location)
      end

      # A different port is a different server, except that the default ports of http and https count as the same.
      def same_host?(uri, target)
        uri.host == target.host &&
          (uri.port == target.port || [uri, target].all? { |each| each.port == each.default_port })
      end
    end
  end
end
