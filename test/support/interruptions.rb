# frozen_string_literal: true

# Tests code that releases the GVL. After an exception it must leave no file and no allocated memory.
module Interruptions
  PAGE = 4096

  # The resident memory of this process, in bytes.
  def resident = File.read("/proc/self/statm").split[1].to_i * PAGE

  # Runs the block in a thread, and raises an exception in it when it has released the GVL.
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
