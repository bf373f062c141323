# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class AccessLog
        # NCSA's Common Log Format:
        #
        #     127.0.0.1 - - [31/Jan/2026:12:00:00 +0000] "GET /a HTTP/2" 200 6
        class CommonFormat
          def line(...) = "#{fields(...)}\n"

          private

          def fields(peer, request, status, bytes, _seconds)
            call = Escaping.quoted("#{request.verb} #{request.target} #{request.version}")
            "#{peer || "-"} - - [#{time}] #{call} #{status || "-"} #{bytes.zero? ? "-" : bytes}"
          end

          def time
            second = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
            return @text if second == @second

            @second = second
            @text = Time.at(second).strftime("%d/%b/%Y:%H:%M:%S %z")
          end
        end
      end
    end
  end
end
