# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # How long a source's word counts unasked. A source may publish another archive under a version that it had, so it
      # is asked each time; only those of RubyGems itself never do that, and a day is soon enough to hear what they took
      # back.
      class Freshness
        DAY = 86_400

        # again: asks all. The block answers addresses of sources that never change what they published; it is called
        # when something is known.
        def initialize(again: false, &unchanging)
          @again = again
          @unchanging = unchanging || -> { [] }
        end

        # time: when the remote (Remote) said it, a Time or nil.
        def still?(remote, time)
          !@again && !time.nil? && (Time.now - time).between?(0, DAY) && unchanging?(remote)
        end

        # Whether nothing counts unasked.
        def again? = @again

        # A mirror may have archives of its own.
        def unchanging?(remote)
          @addresses ||= @unchanging.call.map { |address| address.end_with?("/") ? address : "#{address}/" }
          !remote.mirror? && @addresses.include?(remote.source)
        end
      end
    end
  end
end
