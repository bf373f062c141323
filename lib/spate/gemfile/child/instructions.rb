# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # What a script's compiled instructions say of the process that they run in: how it was started, what it has
      # loaded by then, what they leave in it. A program that sets its bundle up is another process than Bundler's.
      class Instructions
        CONSTANTS = {
          ARGV: "asks which program runs", ARGF: "asks which program runs",
          STDIN: "asks where the program's output goes", STDOUT: "asks where the program's output goes",
          STDERR: "asks where the program's output goes",
          Encoding: "asks for the locale's encoding", ObjectSpace: "looks into the process",
          RubyVM: "looks into the process", TracePoint: "looks into the process"
        }.freeze
        GLOBALS = {
          /\A\$(?:\*|0|PROGRAM_NAME)\z/ => "asks which program runs",
          /\A\$(?:VERBOSE|DEBUG|-\w)\z/ => "asks how Ruby was started",
          /\A\$std(?:in|out|err)\z/ => "asks where the program's output goes",
          /\A\$(?:LOADED_FEATURES|")\z/ => "asks what is loaded"
        }.freeze
        # Of one method and thread.
        PASSING = %r{\A\$(?:[~_!@;,/:\d&`'+]|LOAD_PATH)\z}
        NAMES = %i[constants const_defined? const_get const_source_location].freeze
        # Constants that every Ruby with a bundle has, or none of this kind.
        ALIKE = /\A(?:RUBY_\w+|RbConfig|Gem|Bundler|JRUBY_VERSION|JRuby|Java|Rubinius|RBX|TruffleRuby|Truffle)\z/
        # The codes of `defined?(A)` and `defined?(::A)`, which differ between versions of Ruby.
        CODES = %w[defined?(A) defined?(::A)].map do |text|
          found = nil
          look = lambda do |node|
            found = node[1] if node[0] == :defined
            node.each { |part| look.call(part) if part.is_a?(Array) }
          end
          look.call(RubyVM::InstructionSequence.compile(text).to_a)
          found
        end.freeze

        # [Symbol] global variables that are read.
        attr_reader :globals
        # [String] what is asked, or left.
        attr_reader :reasons

        def initialize(sequence)
          @path = sequence.path
          @globals = []
          @reasons = []
          look(sequence.to_a)
        end

        private

        def look(node)
          node.each_with_index do |part, index|
            next unless part.is_a?(Array)

            one(part, index.zero? ? nil : node[0...index].reverse.find { |other| other.is_a?(Array) },
                node[(index + 1)..].find { |other| other.is_a?(Array) })
            look(part)
          end
        end

        def one(instruction, before, after)
          word, operand, name = instruction
          case word
          when :getglobal then global(operand, before, after)
          when :setglobal then @reasons |= ["sets a global variable"] unless PASSING.match?(operand)
          when :getconstant, :opt_getconstant_path then Array(operand).each { |one| constant(one) }
          when :defined then defined(operand, name, before)
          when :send, :opt_send_without_block then called(operand)
          end
        end

        def global(name, before, after)
          @globals |= [name]
          return if [before, after].compact.any? { |other| other[0].to_s.start_with?("put") && other[1] == @path }

          reason = GLOBALS.find { |pattern, _| pattern.match?(name) }&.last
          reason ||= "reads #{name}, which a program may have set" unless PASSING.match?(name)
          @reasons |= [reason] if reason
        end

        def constant(name) = @reasons |= [CONSTANTS[name]].compact

        def defined(code, name, before)
          return unless CODES.include?(code) && !ALIKE.match?(name.to_s)

          whole = code == CODES.first || (before && before[0] == :putobject && before[1] == Object)
          @reasons |= ["asks what is defined"] if whole
        end

        def called(data)
          @reasons |= ["asks what is defined"] if data.is_a?(Hash) && NAMES.include?(data[:mid])
        end
      end
    end
  end
end
