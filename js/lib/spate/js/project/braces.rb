# frozen_string_literal: true

module Spate
  module JS
    class Project
      # "{a,b}/{c,d}" in a workspace's patterns. Each pair of braces multiplies the alternatives, also in Ruby's own
      # File.fnmatch and Dir.glob, so they are counted before anything is matched.
      module Braces
        # Limit of alternatives for all of a project's patterns together.
        MOST = 10_000
        # Bytes of a pattern with braces; a path has no more.
        LONGEST = 4096
        GROUP = /\{[^{}]*\}/

        module_function

        # The patterns. whose: the file, for messages. Raises LockfileError.
        def check(patterns, whose)
          room = MOST
          patterns.each do |pattern|
            raise LockfileError, "#{whose}: invalid pattern #{pattern.inspect}" if pattern.include?("\0")
            next unless pattern.include?("{")

            room -= pattern.bytesize > LONGEST ? room : alternatives(pattern, room).size
            next if room.positive?

            raise LockfileError.new("#{whose}: the workspace's patterns expand to more than #{MOST} without their " \
                                    "braces, #{pattern[0, 60].inspect} among them", hint: "use * or ** instead")
          end
        end

        # The alternatives of a pattern, without braces; they may contain "/". Returns about `most` at most.
        def alternatives(pattern, most = MOST)
          found = []
          pending = [pattern]
          while found.size < most && (one = pending.pop)
            group = one[GROUP]
            next found << one unless group

            before, after = one.split(group, 2)
            pending.concat(group[1..-2].split(",", -1).reverse.map { |each| "#{before}#{each}#{after}" })
          end
          found
        end
      end
    end
  end
end
