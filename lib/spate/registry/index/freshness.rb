# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # How long a source's answer is valid without another request. A source may publish another archive under an
      # existing version, so it is queried each time. Only RubyGems' own sources never do that; their yanks are noticed
      # within a day.
      class Freshness
        DAY = 86_400

        # again: whether to query all sources again. The block returns addresses of sources that never change published
        # gems; it is called on demand.
        def initialize(again: false, &unchanging)
          @again = again
          @unchanging = unchanging || -> { [] }
        end

        # time: when the remote (Remote) answered; a Time or nil.
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
