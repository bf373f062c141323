# frozen_string_literal: true

module Spate
  module Build
    # Which kind of processor this machine has, as far as a compiler that is told "native" cares: two machines with the
    # same text run each other's code.
    class Processor
      # A path, so that it can be another machine's.
      INFO = "/proc/cpuinfo"
      # What x86, Arm, POWER, s390 and RISC-V call family, model and abilities. Not what changes while it runs.
      FACTS = /
        \A(?:vendor_id|cpu(?:\ (?:family|implementer|architecture|variant|part))?|model|flags|features|isa|uarch)\s*:
      /xi
      # A command that names a processor to compile for, as compilers of C and Rust are told: native, or one that a
      # probe found. And one that looks at it itself.
      NAMED = %r{-m(?:arch|cpu|tune)=[\w.+-]+|target-cpu=[\w.+-]+|/proc/cpuinfo}

      # Of this machine, once a process.
      def self.identity = @identity ||= new.identity

      # Whether a text names one, other than those of Ruby's own configuration, which is in every key.
      def self.named?(text, ruby = RubyBuild.current)
        found = text.scan(NAMED).uniq
        found.any? && (found - %w[CC CXX CFLAGS CXXFLAGS].flat_map { |name| ruby[name].to_s.scan(NAMED) }).any?
      end

      def initialize(info: INFO)
        @info = info
      end

      # "processor <SHA-256>": equal for equal kinds.
      def identity = "processor #{Store.sha256(facts.join)}"

      private

      # One line each, however many there are, and of all kinds where there are several.
      def facts
        lines = File.binread(@info).lines.grep(FACTS).uniq.sort
        lines.empty? ? unknown : lines
      rescue SystemCallError
        unknown
      end

      # macOS.
      def unknown
        IO.popen(%w[sysctl -n machdep.cpu.brand_string hw.optional], err: File::NULL, &:readlines)
      rescue SystemCallError
        [RUBY_PLATFORM]
      end
    end
  end
end
