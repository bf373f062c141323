# frozen_string_literal: true

module Spate
  module Build
    # Whether a build is for one kind of processor. Nobody hears a compiler that is told "native" ask the processor, but
    # its command says so.
    module Processor
      # How compilers of C and Rust are told: native, or one that a probe found.
      NAMED = /-m(?:arch|cpu|tune)=[\w.+-]+|target-cpu=[\w.+-]+/

      module_function

      # Whether a text names one, other than those of Ruby's own configuration, which is in every key.
      def named?(text, ruby = RubyBuild.current)
        found = text.scan(NAMED).uniq
        found.any? && (found - %w[CC CXX CFLAGS CXXFLAGS].flat_map { |name| ruby[name].to_s.scan(NAMED) }).any?
      end
    end
  end
end
