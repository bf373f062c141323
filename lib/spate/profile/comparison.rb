# frozen_string_literal: true

require "json"

module Spate
  module Profile
    # A run to compare with: read from a page or data file of an earlier `spate boot profile`.
    module Comparison
      DATA = %r{<script type="application/json" id="data">(.*?)</script>}m

      module_function

      # The run's Hash, as Trace#to_h. Raises Unreadable.
      def read(path)
        text = File.read(path, encoding: Encoding::UTF_8)
        text = text[DATA, 1] || raise(Unreadable.new(path, "no data in it")) if path.end_with?(".html", ".htm")
        found = JSON.parse(text, symbolize_names: true)
        found = found[:runs].first if found.is_a?(Hash) && found[:runs].is_a?(Array)
        return found if found.is_a?(Hash) && found[:format] == FORMAT

        raise Unreadable.new(path, "its format is another")
      rescue JSON::ParserError
        raise Unreadable.new(path, "no JSON")
      rescue SystemCallError => e
        raise Unreadable.new(path, SystemCallError.new(nil, e.errno).message)
      end
    end
  end
end
