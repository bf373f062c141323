# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class AccessLog
        # One object of JSON a line:
        #
        #     {"time":"2026-01-31T12:00:00.123Z","peer":"127.0.0.1","method":"GET","target":"/a?b","protocol":"HTTP/2",
        #      "host":"localhost","status":200,"bytes":6,"seconds":0.000123,"agent":"curl/8","referer":null,"worker":47}
        class JSONFormat
          def initialize
            @second = nil
          end

          def line(peer, request, status, bytes, seconds)
            agent, referer = fields(request)
            "{\"time\":\"#{time}\",\"peer\":#{Escaping.json(peer)},\"method\":#{Escaping.json(request.verb)}," \
              "\"target\":#{Escaping.json(request.target)},\"protocol\":\"#{request.version}\"," \
              "\"host\":#{Escaping.json(request.authority)},\"status\":#{status || "null"},\"bytes\":#{bytes}," \
              "\"seconds\":#{seconds.round(6)},\"agent\":#{Escaping.json(agent)}," \
              "\"referer\":#{Escaping.json(referer)},\"worker\":#{Process.pid}}\n"
          end

          private

          # Only these two: a Hash of all fields would have to be made for every line.
          def fields(request)
            agent = referer = nil
            request.each_field do |name, value|
              case name
              when "user-agent" then agent = value
              when "referer" then referer = value
              end
            end
            [agent, referer]
          end

          # The second's text is made once.
          def time
            now = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)
            second, part = now.divmod(1000)
            if second != @second
              @second = second
              @text = Time.at(second).utc.strftime("%Y-%m-%dT%H:%M:%S")
            end
            "#{@text}.#{part.to_s.rjust(3, "0")}Z"
          end
        end
      end
    end
  end
end
