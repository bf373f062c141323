# frozen_string_literal: true

module Spate
  module Boot
    # Logs times and counts of an application's last boots in a file beside its compile cache, one boot per line. For
    # each kind of boot, the log also keeps the last one without a compile cache, for comparison.
    #
    #   1700000000 \t rails server \t after_initialize \t 812 \t 790 \t 1650 \t 3 \t 205 \t 41000,9000 \t heap=off
    #   time          kind            why it ended        wall   cpu    hits  others   |      |            parts that
    #                                                     in milliseconds              |      slots        were not used
    #                                                                                  collection (ms)
    class BootLog
      # Shares of the loaded files that came from compile caches. A boot below WITHOUT is reported as "without compile
      # caches", a boot of at least WITH as "with compile caches".
      WITHOUT = 0.1
      WITH = 0.5
      LIMIT = 16 << 10
      KEPT = 40

      # wall, cpu: seconds. collected: milliseconds. slots: see Session. parts: {"heap" => "turned off"}.
      Line = Struct.new(:time, :kind, :ended, :wall, :cpu, :hits, :others, :collected, :slots, :parts) do
        def share = hits.fdiv([hits + others, 1].max)
      end

      class << self
        # Adds this boot. Never raises.
        def add(session, ended)
          path = session.caches.boot_log_path(session.application)
          session.caches.make
          shorten(path) if File.size?(path).to_i > LIMIT
          File.open(path, File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW, 0o600) do |file|
            file.write(line(session, ended))
          end
        rescue SystemCallError
          nil
        end

        # [Line], oldest first.
        def lines(path)
          text = File.read(path, encoding: Encoding::UTF_8)
          text.valid_encoding? ? text.lines(chomp: true).filter_map { |line| parse(line) } : []
        rescue SystemCallError
          []
        end

        # Returns the median (Float), or nil for an empty list.
        def median(values)
          middle = values.sort[((values.size - 1) / 2)..(values.size / 2)]
          middle.sum.fdiv(middle.size) unless values.empty?
        end

        private

        def line(session, ended)
          counts = Native::Loader.counts
          hits = counts[:hit] + counts[:revalidated]
          off = session.parts.reject { |_, state| state == true }.map { |name, state| "#{name}=#{state}" }
          [Process.clock_gettime(Process::CLOCK_REALTIME, :second), Session.kind, ended, session.wall,
           session.processor, hits, counts.values.sum - hits, session.collected, session.slots.join(","),
           *off].map { |word| word.to_s.tr("\t\n", "  ") }.join("\t") << "\n"
        end

        def parse(line)
          time, kind, ended, wall, cpu, hits, others, collected, slots, *parts = line.split("\t")
          return unless collected&.match?(/\A\d+\z/)

          Line.new(time.to_i, kind, ended, wall.to_i / 1000.0, cpu.to_i / 1000.0, hits.to_i, others.to_i,
                   collected.to_i, slots.to_s.split(",").map(&:to_i), parts.to_h { |part| part.split("=", 2) })
        end

        # Keeps the last lines and, for each kind, the last boot without compile caches.
        def shorten(path)
          text = File.readlines(path, chomp: true).select { |line| parse(line) }
          bare = text.group_by { |line| parse(line).kind }
                     .filter_map { |_, lines| lines.reverse.find { |line| parse(line).share < WITHOUT } }
          kept = (bare - text.last(KEPT)) + text.last(KEPT)
          temporary = Util::Files.beside(path.delete_suffix(".bootlog"))
          text = kept.map { |line| "#{line}\n" }.join
          Util::Files.write(path, text, permissions: 0o600, temporary: temporary)
        end
      end
    end
  end
end
