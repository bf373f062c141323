# frozen_string_literal: true

module Spate
  module Server
    class Response
      # "Mon, 21 Oct 2013 20:13:21 GMT": RFC 9110, section 5.6.7.
      module HTTPDate
        MONTHS = %w[Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec].freeze
        DAYS = %w[Sun Mon Tue Wed Thu Fri Sat].freeze
        MONTH = "(#{MONTHS.join("|")})".freeze
        CLOCK = '(\d\d):(\d\d):(\d\d)'
        # The current format and the two obsolete formats, which a recipient must accept.
        FIXED = /\A(?:#{DAYS.join("|")}), (\d\d) #{MONTH} (\d{4}) #{CLOCK} GMT\z/
        RFC850 = /\A(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-#{MONTH}-(\d\d) #{CLOCK} GMT\z/
        ASCTIME = /\A(?:#{DAYS.join("|")}) #{MONTH} ([ \d]\d) #{CLOCK} (\d{4})\z/

        @second = nil

        module_function

        def of(time)
          utc = time.getutc
          format("%<name>s, %<day>02d %<month>s %<year>04d %<clock>s GMT",
                 name: DAYS[utc.wday], day: utc.day, month: MONTHS[utc.month - 1], year: utc.year,
                 clock: utc.strftime("%H:%M:%S"))
        end

        # The current time as text. It is formatted once a second; the result is the same String during that second.
        def now
          second = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
          return @text if second == @second

          @second = second
          @text = of(Time.at(second)).freeze
        end

        # The current time in seconds since 1970.
        def second = Process.clock_gettime(Process::CLOCK_REALTIME, :second)

        # Converts the value of a field to seconds since 1970. Returns nil for an invalid date.
        def seconds(text)
          text = text.b # the bytes may be invalid in their encoding
          if (match = FIXED.match(text)) then time(match[3], match[2], match[1], match[4..6])
          elsif (match = RFC850.match(text)) then time(century(match[3].to_i), match[2], match[1], match[4..6])
          elsif (match = ASCTIME.match(text)) then time(match[6], match[1], match[2], match[3..5])
          end
        end

        # A two-digit year that seems to be more than 50 years ahead is in the past.
        def century(year)
          now = Time.now.utc.year
          guess = now - now % 100 + year
          guess > now + 50 ? guess - 100 : guess
        end

        def time(year, month, day, clock)
          time = Time.utc(year.to_i, MONTHS.index(month) + 1, day.to_i, *clock.map(&:to_i))
          # Ruby accepts February 30 as March 2, so the day is compared.
          time.day == day.to_i ? time.to_i : nil
        rescue ArgumentError
          nil
        end
        private_class_method :century, :time
      end
    end
  end
end
