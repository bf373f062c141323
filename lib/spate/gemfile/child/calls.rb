# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Refuses what nobody hears. Whatever tells something of the machine is a method of Ruby's own, in C or
      # <internal:>, and Hooks stand before those that can be told of. Of the others only these may be called while a
      # Gemfile is evaluated, by it or, on its behalf, by Ruby's library: they tell what the program knows already. A
      # word that is missing here makes an answer that is not kept, never a stale one.
      module Calls
        # Values, with all methods that they have.
        VALUES = %w[
          BasicObject String Symbol Array Hash Numeric Integer Float Rational Complex NilClass TrueClass FalseClass
          Range Regexp MatchData Comparable Enumerable Enumerator Enumerator::Lazy Enumerator::Yielder
          Enumerator::Generator Struct Data Set Proc Method UnboundMethod Binding Math Marshal Module Class Refinement
          Exception NameError NoMethodError KeyError FrozenError StopIteration SystemExit UncaughtThrowError Pathname
          StringScanner StringIO Date DateTime Monitor Thread::Mutex ERB::Escape
        ].freeze
        NAMESPACES = /\A(?:JSON|Psych|Digest|Date|StringScanner)(?:::|\z)/
        # What chance, the clock and the time zone make of them, what no hook sees.
        NEVER = %i[
          shuffle shuffle! sample today now to_time localtime getlocal full_message realpath realdirpath
        ].freeze
        # Where values lie in memory, who called, what is defined: Ruby's library asks for reasons of its own.
        PRIVATE = %i[
          hash object_id __id__ backtrace_locations constants const_defined? const_get const_source_location
          autoload? source_location
        ].freeze
        INSTANCE = {
          "Kernel" => %i[
            ! != !~ =~ == === <=> eql? equal? instance_of? kind_of? is_a? nil? respond_to? respond_to_missing? freeze
            frozen? dup clone itself then yield_self tap class singleton_class extend send public_send __send__ method
            public_method methods public_methods singleton_methods singleton_method instance_variable_get
            instance_variable_set instance_variable_defined? instance_variables remove_instance_variable
            define_singleton_method raise fail catch throw loop lambda proc block_given? binding eval abort exit Integer
            Float String Array Hash Rational Complex format sprintf puts print p pp warn sleep __method__ __callee__
            __dir__ initialize_dup initialize_copy initialize_clone enum_for to_enum require require_relative load
            autoload gem Pathname
          ],
          "IO" => %i[
            read gets readline readlines each each_line each_char each_byte getc getbyte readchar readbyte eof eof?
            rewind seek pos lineno close closed? binmode set_encoding external_encoding internal_encoding to_io write <<
            puts print printf
          ],
          "Thread" => %i[[] []= key? thread_variable_get thread_variable_set], "Ractor" => %i[[] []=],
          "File" => %i[path to_path],
          "Dir" => %i[each children each_child read close path to_path rewind],
          "Time" => Time.instance_methods(false), "File::Stat" => File::Stat.instance_methods(false),
          "Process::Status" => Process::Status.instance_methods(false)
        }.freeze
        SINGLETON = {
          "File" => %i[
            join basename dirname extname split fnmatch fnmatch? path absolute_path? expand_path absolute_path
          ],
          "Dir" => %i[pwd getwd], "Time" => %i[utc gm], "Thread" => %i[current], "Ractor" => %i[current],
          "Kernel" => %i[Integer Float String Array Hash format sprintf catch throw raise lambda proc loop require load]
        }.freeze
        # The program's name is what Words asks about.
        OWN = global_variables - %i[$: $LOAD_PATH $! $@ $/ $, $; $~ $_ $0 $PROGRAM_NAME]
        INTERNAL = %r{\A<internal:(?!/)}

        class << self
          # While the block runs; refused: called with each reason.
          def watch(foreign, refused, &block)
            calls = TracePoint.new(:c_call, :call) { |point| called(point, foreign, refused) }
            scripts = TracePoint.new(:script_compiled) do |point|
              path = point.instruction_sequence.path
              compiled(point.instruction_sequence, refused) if foreign.kind(path) == :own
            end
            scripts.enable { calls.enable(&block) }
          end

          private

          def called(point, foreign, refused)
            return unless Trace.current

            path = point.path
            if point.event == :call
              return unless path.start_with?("<internal:") && path.match?(INTERNAL)

              path = caller_locations(3, 1).first&.path.to_s
            end
            kind = foreign.kind(path)
            return if kind == :foreign || (known?(point) && !(kind == :own && PRIVATE.include?(point.method_id)))
            return if kind == :library && foreign.kind(Hooks.caller_path.to_s) != :own

            refused.call("calls #{name(point)}, which cannot be heard")
          end

          def known?(point)
            name = point.method_id
            owner = point.defined_class
            return name.start_with?("core#") && name != :"core#set_variable_alias" if name.to_s.start_with?("core#")
            return false if NEVER.include?(name)
            return singleton?(point.self, name) if owner.singleton_class?

            owner = (owner.name || real_owner(point)).to_s
            VALUES.include?(owner) || owner.match?(NAMESPACES) || owner.end_with?("Error") ||
              INSTANCE[owner]&.include?(name) || accessor?(point)
          end

          # What attr_accessor makes calls itself a method in C, too.
          def accessor?(point)
            point.event == :c_call && !point.defined_class.instance_method(point.method_id).source_location.nil?
          end

          # Of a module with others before it Ruby names one of those.
          def real_owner(point)
            method = Kernel.instance_method(:method).bind_call(point.self, point.method_id)
            method = method.super_method while method && method.owner.name.nil?
            method&.owner&.name
          end

          def singleton?(receiver, name)
            return %i[[]= store].include?(name) if ENV.equal?(receiver)
            return true if TOPLEVEL_BINDING.receiver.equal?(receiver)
            return false unless Module === receiver # rubocop:disable Style/CaseEquality -- it may not have is_a?

            owner = receiver.name.to_s
            VALUES.include?(owner) || owner.match?(NAMESPACES) || SINGLETON[owner]&.include?(name) ||
              receiver < Struct || receiver <= Exception || (receiver <= IO && %i[new open].include?(name))
          end

          def name(point)
            return "ENV.#{point.method_id}" if ENV.equal?(point.self)

            single = point.defined_class.singleton_class?
            "#{single ? point.self : point.defined_class}#{single ? "." : "#"}#{point.method_id}"
          end

          def compiled(sequence, refused)
            instructions(sequence.to_a) do |word, operand|
              refused.call("reads #{operand}") if word == :getglobal && OWN.include?(operand)
            end
          end

          def instructions(node, &block)
            yield node[0], node[1] if node[0].is_a?(Symbol) && node[1].is_a?(Symbol)
            node.each { |part| instructions(part, &block) if part.is_a?(Array) }
          end
        end
      end
    end
  end
end
