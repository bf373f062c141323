# frozen_string_literal: true

# For what is done without Ruby's lock, and must leave nothing behind where an exception comes meanwhile.
module Interruptions
  PAGE = 4096

  # Bytes of this process that are in memory.
  def resident = File.read("/proc/self/statm").split[1].to_i * PAGE

  # The block in a thread that an exception waits for until it has given up Ruby's lock.
  def interrupted
    step = nil
    thread = Thread.new do
      Thread.handle_interrupt(ArgumentError => :on_blocking) do
        step = :ready
        Thread.pass until step == :raised
        yield
      end
    end
    thread.report_on_exception = false
    Thread.pass until step == :ready
    thread.raise(ArgumentError)
    step = :raised
    assert_raises(ArgumentError) { thread.join }
  end
end
