# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # The commands in docs/rack.md print the output written there. Each follows the config.ru that it uses.
    class RackDocsTest < Minitest::Test
      include RackServer

      TEXT = File.read(File.expand_path("../../docs/rack.md", __dir__), encoding: "UTF-8")
      EXAMPLES = TEXT.scan(/^```ruby\n# config.ru\n(.*?)^```\n\n((?:(?:    [^\n]*)?\n)+)/m)
      LOCAL = "localhost:8080"

      # Implements the methods available in a config.ru.
      class Builder
        attr_reader :app

        def run(app) = @app = app
      end

      def test_there_are_examples
        assert_equal TEXT.scan("# config.ru\n").size, EXAMPLES.size
        assert_operator EXAMPLES.size, :>=, 3
      end

      EXAMPLES.each_with_index do |(code, console), number|
        define_method(:"test_example_#{number + 1}") do
          builder = Builder.new
          builder.instance_eval(code)
          serve(builder.app)
          command, expected = console.gsub(/^    /, "").strip.split("\n", 2)
          told, = Open3.capture2e("sh", "-c", command.delete_prefix("$ ").sub(LOCAL, "127.0.0.1:#{@port}"))
          assert_equal expected.strip, told.strip
        end
      end
    end
  end
end
