# frozen_string_literal: true

module Spate
  module Server
    # "Mon, 21 Oct 2013 20:13:21 GMT": RFC 9110, section 5.6.7.
    module HTTPDate
      @second = nil

      def self.of(time) = time.getutc.strftime("%a, %d %b %Y %H:%M:%S GMT")

      # Made once a second.
      def self.now
        second = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
        return @text if second == @second

        @second = second
        @text = of(Time.at(second)).freeze
      end
    end
  end
end
