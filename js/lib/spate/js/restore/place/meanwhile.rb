# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Two things at once, of which one has no need of Ruby's lock for most of its time.
        module Meanwhile
          module_function

          # Calls the block, which soon releases Ruby's lock, and meanwhile `other` in a thread of its own. Returns the
          # block's result. Raises the error of either, after both have ended.
          def call(other)
            thread = Thread.new(&other)
            thread.report_on_exception = false
            yield.tap { thread.value }
          ensure
            wait(thread) if thread
          end

          # The thread is not killed: it may be loading a file, which RubyGems reports as its own error. Its exception
          # was reported already, or matters less than the one that ended the block.
          def wait(thread)
            Thread.handle_interrupt(::Interrupt => :never) { thread.join }
          rescue StandardError
            nil
          end
          private_class_method :wait
        end
      end
    end
  end
end
