# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # Decides how long a response of a source is valid. Most sources are queried in each run, since they may publish
      # another archive under an existing version. RubyGems' default sources never do that, so they are queried once a
      # day, which detects yanks.
      class Freshness
        DAY = 86_400

        # again: whether to query all sources again. The block returns addresses of sources that never change published
        # gems. It is called only if needed.
        def initialize(again: false, &unchanging)
          @again = again
          @unchanging = unchanging || -> { [] }
        end

        # Whether a response is still valid. time: when the Remote sent it (Time), or nil.
        def still?(remote, time)
          !@again && !time.nil? && (Time.now - time).between?(0, DAY) && unchanging?(remote)
        end

        # Whether every source is queried again.
        def again? = @again

        # Excludes mirrors, which may have other archives.
        def unchanging?(remote)
          @addresses ||= @unchanging.call.map { |address| address.end_with?("/") ? address : "#{address}/" }
          !remote.mirror? && @addresses.include?(remote.source)
        end
      end
    end
  end
end
