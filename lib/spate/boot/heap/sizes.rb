# frozen_string_literal: true

module Spate
  module Boot
    module Heap
      # How many slots of each size the last boot needed, and what tells the next Ruby so. Ruby reads these variables
      # when it starts, so only `spate exec` can set them, where it starts one.
      module Sizes
        # Marks that the variables below are ours, and which: they go away before the program sees its environment.
        MARK = "SPATE_HEAP_SIZED"
        POOLS = 5
        # Room over what the last boot had, so that the next one, a little larger, fits too.
        SPARE = 1.1
        # So many slots are worth a start of their own (10 ms).
        LARGE = 200_000
        # Malloc'ed bytes that start a collection: as much as a boot may take, see BootEnd::BYTES.
        LIMITS = { "RUBY_GC_MALLOC_LIMIT" => 256 << 20, "RUBY_GC_MALLOC_LIMIT_MAX" => 256 << 20,
                   "RUBY_GC_OLDMALLOC_LIMIT" => 256 << 20, "RUBY_GC_OLDMALLOC_LIMIT_MAX" => 256 << 20 }.freeze

        class << self
          # {name => value} for the next Ruby. text: what `to_s` made, lines "pool slots".
          def environment(text)
            slots = text.lines.to_h { |line| line.split.map(&:to_i) }.select { |pool, _| pool < POOLS }
            set = slots.to_h { |pool, count| ["RUBY_GC_HEAP_#{pool}_INIT_SLOTS", (count * SPARE).round.to_s] }
            set.merge!(LIMITS.transform_values(&:to_s))
            set.merge(MARK => set.keys.join(","))
          end

          # Takes our variables out of the environment of a Ruby that has read them. Answers whether there were any.
          def unset(env = ENV)
            names = env.delete(MARK).to_s.split(",")
            names.each { |name| env.delete(name) }
            names.any?
          end

          def large?(text) = text.lines.sum { |line| line.split.last.to_i } > LARGE

          # The heap of now as text.
          def now
            GC.stat_heap.map { |pool, stat| "#{pool} #{stat[:heap_eden_slots]}\n" }.join
          end

          # Keeps it beside the application's image, where it differs by more than a tenth from what is there.
          def keep(session)
            return if session.readonly? || session.application.gemfile.nil?

            path = path(session.images, session.application)
            text = now
            return if File.exist?(path) && near?(File.read(path), text)

            session.images.make # of a first boot
            temporary = "#{path}.#{Process.pid}.#{rand(1 << 32).to_s(16)}"
            File.write(temporary, text, perm: 0o644)
            File.rename(temporary, path)
          rescue SystemCallError
            nil
          end

          # Text of the last boot, nil where there is none that may be used.
          def last(images, application)
            path = path(images, application)
            stat = File.lstat(path)
            return unless stat.file? && stat.size < 1024 && [Process.euid, 0].include?(stat.uid)
            return if stat.mode & 0o022 != 0

            text = File.read(path)
            text if text.match?(/\A(\d \d{1,8}\n){1,9}\z/)
          rescue SystemCallError
            nil
          end

          private

          def path(images, application)
            "#{images.boot_path(application.root, application.gemfile).delete_suffix(".image")}.heap"
          end

          def near?(before, after)
            before, after = [before, after].map { |text| text.lines.to_h { |line| line.split.map(&:to_i) } }
            before.keys == after.keys && before.all? { |pool, count| (after[pool] - count).abs * 10 <= count + 10_000 }
          end
        end
      end
    end
  end
end
