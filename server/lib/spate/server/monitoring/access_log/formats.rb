# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class AccessLog
        # Escapes text from a peer, so that the text cannot end its line or its field.
        module Escaping
          # MARKED: ASCII characters that need escaping. STRANGE: bytes that Apache escapes.
          MARKED = /["\\\x00-\x1f\x7f]/
          STRANGE = /["\\]|[^ -~]/n

          module_function

          # Formats a text as a JSON string with quotes. Invalid UTF-8 becomes U+FFFD.
          def json(text)
            return "null" if text.nil?
            return "\"#{text}\"" if plain?(text)

            clean = text.dup.force_encoding(Encoding::UTF_8).scrub("\u{fffd}")
            "\"#{clean.gsub(/["\\\u0000-\u001f\u007f\u2028\u2029]/) { |char| json_char(char) }}\""
          end

          # Quotes a text in Apache's format: quotes, backslashes and everything except printable ASCII as \xHH; "-" for
          # an empty text.
          def quoted(text)
            return "\"-\"" if text.nil? || text.empty?

            return "\"#{text}\"" if plain?(text)

            "\"#{text.b.gsub(STRANGE) { |byte| format("\\x%02X", byte.ord) }}\""
          end

          def plain?(text) = text.ascii_only? && !text.match?(MARKED)

          def json_char(char)
            char == '"' || char == "\\" ? "\\#{char}" : format("\\u%04x", char.ord)
          end
          private_class_method :json_char, :plain?
        end

        # One JSON object per line:
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

          # Extracts only these two fields, because Request#headers would allocate a Hash for every line.
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

          # Formats the current time. The text of the current second is cached.
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

        # The Common Log Format of NCSA.
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

        # The common format plus the referer and the user agent.
        class CombinedFormat < CommonFormat
          private

          def fields(peer, request, *)
            "#{super} #{Escaping.quoted(request["referer"])} #{Escaping.quoted(request["user-agent"])}"
          end
        end
      end
    end
  end
end
