# frozen_string_literal: true

require_relative "../native"

module Spate
  module Gemfile
    # Whether what was heard can be kept: nothing forbids it, and what was read is as it was all the time.
    module Settled
      class << self
        # [bytes of Basis, []], or [nil, reasons].
        def basis(result, location, env, mark, policy: nil)
          return [nil, ["nothing can be heard here: #{result.deaf}"]] unless result.heard

          policy ||= Policy.new(result, location, mark)
          refusals = policy.refusals
          return [nil, refusals] if refusals.any?

          changing = changing(policy.watched, result.told[:entered])
          return [nil, changing] if changing.any?

          bytes, reason = Basis.take(policy.entries, policy.globs, location, env)
          [bytes, [*reason]]
        end

        # Sentences on what changed after `since` (nanoseconds since the epoch), as its times tell.
        def changing(paths, since)
          paths.select { |path| later?(path, since) }.first(3).map { |path| "#{path} changes just now" }
        end

        private

        def later?(path, since)
          stat = File.stat(path)
          changed = (stat.ctime.to_i * 1_000_000_000) + stat.ctime.nsec
          changed + Native::RACY_NS > since
        rescue SystemCallError
          false
        end
      end
    end
  end
end
