# frozen_string_literal: true

require "json"

module Spate
  module Server
    # Debian's Python. Its packages python3-h2 and python3-hpack are independent implementations of HTTP/2 and HPACK.
    class Python
      PATH = "/usr/bin/python3"

      def self.missing(package)
        return "#{PATH} is not installed" unless File.executable?(PATH)

        system(PATH, "-c", "import #{package}", err: File::NULL) ? nil : "python3-#{package} is not installed"
      end

      # Starts a script of python/, which responds to each line of JSON with another.
      def initialize(script)
        @io = IO.popen([PATH, File.join(__dir__, "python", script)], "r+")
      end

      def call(method, argument)
        @io.puts JSON.generate([method, argument])
        JSON.parse(@io.gets || raise("the Python peer died"))
      end

      def close = @io.close
    end
  end
end
