# frozen_string_literal: true

require_relative "gem_source"

# A local server that responds to each request with the block's result.
#
#   server = ScriptedServer.new { |request| request.path == "/x" ? "text" : 404 }.start
class ScriptedServer < GemSource::Server
  # Converts the block's result for a Request: a text, a status, or [status, text, headers].
  Pages = Struct.new(:script) do
    def answer(request)
      status, text, headers = case (said = script.call(request))
                              when String then [200, said]
                              when Integer then [said, ""]
                              else said
                              end
      GemSource::Response.new(status, headers || {}, text)
    end
  end

  def initialize(**options, &script)
    super(nil, **options)
    @pages = Pages.new(script)
  end
end
