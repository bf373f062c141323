# frozen_string_literal: true

require_relative "spate_serve"

# The same with Ruby's compiler, which 3.1 and 3.2 start only where they are asked to.
class SpateYJIT < SpateServe
  def name = "spate-serve --yjit"

  def missing(workload) = defined?(RubyVM::YJIT) ? super : "this Ruby has no YJIT"

  def command(workload, port)
    environment, words = super
    [environment, [*words, "--yjit"]]
  end
end
