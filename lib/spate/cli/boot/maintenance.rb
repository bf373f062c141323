# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # Removes compile caches, unless a builder is running.
      class Clear < Subcommand
        # A builder is using the compile caches that would be removed.
        class Busy < Error
          EXIT_CODE = 9

          def initialize(root)
            super("a builder is running for #{root}", hint: "try again when it has finished: spate boot status")
          end
        end

        def run
          no_operands!
          clear = ::Spate::CompileCache::Clear.new(caches)
          result = values[:all] ? clear.all : clear.application(location)
          raise Busy, location.root if result.busy

          json? ? json.call(event: :boot_cleared, files: result.files, bytes: result.bytes) : print_result(result)
          0
        end

        private

        def print_result(result)
          return terminal.info("nothing to remove") if result.files.zero?

          terminal.info "removed #{Units.count(result.files, "file")}: #{Units.bytes(result.bytes)}"
        end
      end

      # Reads all compile caches, and lists the damaged ones. Removes nothing.
      class Verify < Subcommand
        DAMAGED = 9
        SHOWN = 5

        def run
          no_operands!
          found = ::Spate::CompileCache::Verify.new(context.store.root).call
          json? ? json.call(event: :boot_verified, **found.to_h) : print_result(found)
          found.ok? ? 0 : DAMAGED
        end

        private

        def print_result(found)
          found.damaged.each { |damage| terminal.out.puts Util::Terminal.plain("#{damage.path}: #{words(damage)}") }
          read = "#{Units.count(found.compile_caches, "compile cache")} with #{Units.count(found.files, "file")}, " \
                 "#{Units.bytes(found.bytes)}"
          return terminal.out.puts("#{read}: no damage") if found.ok?

          terminal.out.puts "#{read}: #{Units.count(found.damaged.size, "compile cache")} damaged"
          terminal.hint("boots ignore damaged compile caches; `spate boot build` rebuilds them, `clear` removes them")
        end

        def words(damage)
          return "cannot be used: #{damage.reason}" if damage.files.empty?

          more = damage.files.size > SHOWN ? " and #{damage.files.size - SHOWN} more" : ""
          "damaged: #{damage.files.first(SHOWN).join(", ")}#{more}"
        end
      end
    end
  end
end
