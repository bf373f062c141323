# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # How long a source's answer counts without asking again. A source may publish another archive under an existing
      # version, so it is queried each time. Only RubyGems' own sources never do that; their yanks are noticed within a
      # day.
      class Freshness
        DAY = 86_400

        # again: asks all sources. The block answers addresses of sources that never change what they published; it is
        # called when needed.
        def initialize(again: false, &unchanging)
          @again = again
          @unchanging = unchanging || -> { [] }
        end

        # time: when the remote (Remote) answered, a Time or nil.
        def still?(remote, time)
          !@again && !time.nil? && (Time.now - time).between?(0, DAY) && unchanging?(remote)
        end

        # Whether every source is asked again.
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
