# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Turns the tracing of calls on and off. Bundler makes hundreds of thousands of irrelevant calls, and tracing a
      # call takes as long as the call. So calls are traced only while the application's code runs, and not while it
      # waits for Bundler or RubyGems.
      class TraceSwitch
        # The number of calls by Bundler or RubyGems after which the stack is inspected.
        PATIENCE = 256

        # calls: the TracePoint to turn on and off. always: whether calls are always traced.
        def initialize(origin, calls, always:)
          @origin = origin
          @calls = calls
          @always = always
          @returns = {}
        end

        # Traces while the block runs. compiled: a callable that is called with the InstructionSequence of each script
        # of the application, and returns whether calls must always be traced from now on.
        def trace(compiled)
          # Stays enabled, because code that is compiled between two calls of `trace` may be called in the second.
          @scripts ||= TracePoint.new(:script_compiled) { |point| script(point, compiled) }
          @scripts.enable unless @scripts.enabled?
          # A fiber may be suspended before the method that it called returns.
          fibers = TracePoint.new(:fiber_switch) { wake }.tap(&:enable)
          wake if @always
          yield
        ensure
          fibers&.disable
          @calls.disable
        end

        # Called for each call by Bundler or RubyGems. Stops tracing if the application is not on the stack.
        def stop_after_many_calls
          return if (@passed += 1) < @patience || @always

          @patience *= 2
          @calls.disable if caller_locations.none? { |one| own?(one) }
        end

        # Stops tracing until the method that the application called returns or calls the application. If the method is
        # not found by its name, its return cannot be traced, so tracing continues.
        def pause_until_return(point)
          method = Kernel.instance_method(:method).bind_call(point.self, point.callee_id)
          return if @always || method.source_location != [point.path, point.lineno]

          @returns[method.unbind] ||= TracePoint.new(:return) { returned }.tap { |one| one.enable(target: method) }
          @calls.disable
        rescue NameError
          nil
        end

        private

        # A string that the application evaluates belongs to the application, whatever its file name.
        def script(point, compiled)
          sequence = point.instruction_sequence
          return unless own?(sequence) || (point.eval_script && own?(caller_locations(2, 1).first))

          wake
          entered(sequence)
          @always = true if compiled.call(sequence)
        end

        # Also traces lines, because a stack overflow unwinds without an event.
        def entered(sequence)
          TracePoint.new(:call, :b_call, :line) { wake }.enable(target: sequence)
        rescue ArgumentError
          nil # the script is empty
        end

        def returned
          caller = caller_locations(3, 1).first
          wake unless caller && @origin.kind(caller.path) == :tool
        end

        def wake
          @passed = 0
          @patience = PATIENCE
          @calls.enable unless @calls.enabled?
        end

        def own?(place) = @origin.kind(place.path) == :own
      end

      # Searches the disassembly of a script for process state that it reads or changes, such as command-line options
      # and loaded files. A result that depends on such state cannot be reused in another process.
      class Instructions
        CONSTANT = /^\d+ (?:getconstant|opt_getconstant_path) .*\b/
        GLOBAL = /^\d+ getglobal +:\$/
        # Excludes constants that are the same in every process with a bundle, or that are never defined in CRuby.
        NAMED = /:(?!(?:RUBY_\w+|RbConfig|Gem|Bundler|JRUBY_VERSION|JRuby|Java|Rubinius|RBX|TruffleRuby|Truffle)\b)/
        # Constants with process state: the original environment (Bundler), the date (RubyGems), stdin, and the JIT's
        # state.
        STATE = /#{CONSTANT}(ORIGINAL_ENV|TODAY|STDIN|RUBY_DESCRIPTION)\b/
        # Global variables that are local to a method or thread, and separators.
        PASSING = %r{\$(?:[~_!;,/:\d&`'+]|LOAD_PATH)(?!\S)}
        REASONS = {
          "reads which program runs" => /#{CONSTANT}(?:ARGV|ARGF)\b|#{GLOBAL}(?:\*|0|PROGRAM_NAME)(?!\S)/,
          "reads where the program's output goes" => /#{CONSTANT}STD(?:IN|OUT|ERR)\b|#{GLOBAL}std(?:in|out|err)\b/,
          "reads the locale's encoding" => /#{CONSTANT}Encoding\b/,
          "inspects the process" => /#{CONSTANT}(?:ObjectSpace|RubyVM|TracePoint|TOPLEVEL_BINDING)\b/,
          "reads how Ruby was started" => /#{GLOBAL}(?:VERBOSE|DEBUG|-\w)(?!\S)/,
          # Ruby itself calls this method for each raised exception.
          "reads its caller" => /^\d+\ (?:(?:opt_)?send\w*\ .*mid:backtrace,|putobject\ +:backtrace\b)/,
          "reads which files are loaded" => /#{GLOBAL}(?:LOADED_FEATURES|")(?!\S)/,
          "checks what is defined" => /^\d+\ (?:defined\ +constant,\ #{NAMED}|
                                     putobject\ +Object\b.*\n\d+\ defined\ +constant-from,\ #{NAMED}|
                                     (?:opt_)?send\w*\ .*mid:(?:constants|const_get|const_defined\?|
                                     const_source_location),)/x,
          "runs code at the program's end" => /mid:core#set_postexe,/,
          "sets a global variable" => /^\d+ setglobal +:(?!#{PASSING})/
        }.freeze

        # Instructions that compute default values without a call, and the events of the first instruction after the
        # defaults.
        QUIET = /(?:put|dup|new|[gs]etlocal|checkkeyword|branch|expandarray|nop|pop)\w*(?=[ \n])/
        BODY = /.*\[\w*(?:Ca|Bc)/
        DEFAULTS = /local\ table\ .*\[(?:opts:\ [1-9]|.*kw:\ [1-9]).*\n (?:[|\ ]*\[.*\n)*
                    (?:[|\ ]*\d+\ #{QUIET}(?!#{BODY}).*\n)* [|\ ]*\d+\ (?!#{QUIET}|#{BODY})/x

        # [String]: Ruby's predefined global variables that are read, except the program's name, and constants whose
        # values cannot be traced.
        attr_reader :globals
        # [String]: process state that is read or changed.
        attr_reader :reasons
        # Whether the default value of a parameter contains a call. It runs before the call of the method is traced.
        attr_reader :defaults

        def initialize(sequence)
          @globals = @reasons = []
          text = sequence.disasm.b
          @defaults = DEFAULTS.match?(text)
          search(text, sequence.path) if WORDS.any? { |word| text.include?(word) }
        end

        # Every match contains one of these words. Most Gemfiles contain none of them.
        WORDS = %w[const global backtrace postexe].freeze
        RUBYS = global_variables.map(&:to_s).freeze
        private_constant :WORDS, :RUBYS

        private

        def search(text, path)
          # `__FILE__ == $0` only checks whether the file is the program.
          file = /^\d+ put\w+ +#{Regexp.escape(path.inspect.b)}.*\n/
          variable = /#{GLOBAL}.*\n/
          # The disassembly prefixes instructions of `rescue` and `ensure` with "| ".
          text = text.gsub(/^(?:\| )+/, "").gsub(/#{file}#{variable}|#{variable}#{file}/, "")
          names = text.scan(/^\d+ getglobal +:(\S+)/).flatten.uniq.grep_v(/\A#{PASSING}/)
          rubys, others = names.partition { |name| RUBYS.include?(name) }
          @globals = (rubys - %w[$0 $PROGRAM_NAME]) + text.scan(STATE).flatten
          @reasons = REASONS.filter_map { |reason, pattern| reason if pattern.match?(text) } +
                     others.map { |name| "reads #{name}, which a program may have set" }
        end
      end

      # Detects calls that read facts without a system call: the clock, random numbers, the caller, addresses. Only
      # Ruby's core methods (in C or <internal:>) return such facts. While a Gemfile is evaluated, the Gemfile and the
      # standard library, when the Gemfile calls it, may call only the methods listed here. Any other call prevents
      # caching, so a missing name in the list never causes a stale result. The tracer records accesses to files, so
      # only the kind of fact is recorded here.
      class CallTrace
        # Classes of values. All their methods are allowed.
        VALUES = %w[
          BasicObject String Symbol Array Hash Numeric Integer Float Rational Complex NilClass TrueClass FalseClass
          Range Regexp MatchData Comparable Enumerable Enumerator Enumerator::Lazy Enumerator::Yielder
          Enumerator::Generator Struct Data Set Proc Method UnboundMethod Binding Math Marshal Module Class Refinement
          Exception NameError NoMethodError KeyError FrozenError StopIteration SystemExit UncaughtThrowError Pathname
          StringScanner StringIO Date DateTime Monitor Thread::Mutex ERB::Escape Bundler::Dsl Bundler::RubyDsl
          Bundler::RubyVersion Bundler::CurrentRuby Gem::Version Gem::Requirement Gem::Platform Gem::Dependency
        ].freeze
        NAMESPACES = /\A(?:JSON|Psych|Digest|Date|StringScanner)(?:::|\z)/
        # Classes whose accesses the tracer records, except for UNTRACED methods.
        TRACED = %w[File FileTest File::Stat IO Dir].freeze
        UNTRACED = %i[
          umask atime ctime birthtime owned? grpowned? identical? ino nlink uid gid dev dev_major dev_minor rdev
          rdev_major rdev_minor blocks blksize chown lchown flock tty? isatty fileno pid pipe select for_fd fcntl ioctl
          console winsize inspect <=> fdatasync fsync advise wait wait_readable
        ].freeze
        # Methods that use random numbers, the clock or the time zone.
        UNSTABLE = %i[shuffle shuffle! sample today now to_time localtime getlocal full_message].freeze
        # Methods that return addresses, the caller or definitions, or that bypass a hook. Only the standard library may
        # call them.
        PRIVATE = %i[
          allocate hash object_id __id__ backtrace_locations constants const_defined? const_get const_source_location
          autoload? source_location
        ].freeze
        SPECIFICATION = Gem::Specification.attribute_names - %i[date] +
                        Gem::Specification.public_instance_methods.grep(/\Aadd_|\w=\z/) + %i[
                          initialize author executable license require_path require_paths test_file test_files
                          runtime_dependencies development_dependencies full_name
                        ]
        INSTANCE = {
          "Kernel" => %i[
            ! != !~ =~ == === <=> eql? equal? instance_of? kind_of? is_a? nil? respond_to? respond_to_missing? freeze
            frozen? dup clone itself then yield_self tap class singleton_class extend send public_send __send__ method
            public_method methods public_methods singleton_methods singleton_method instance_variable_get
            instance_variable_set instance_variable_defined? instance_variables remove_instance_variable
            define_singleton_method raise fail catch throw loop lambda proc block_given? binding eval abort exit Integer
            Float String Array Hash Rational Complex format sprintf puts print p pp warn sleep __method__ __callee__
            __dir__ initialize_dup initialize_copy initialize_clone enum_for to_enum require require_relative load
            autoload gem Pathname open test system spawn ` exec
          ],
          "Thread" => %i[[] []= key? thread_variable_get thread_variable_set], "Ractor" => %i[[] []=],
          "Time" => Time.instance_methods(false), "Process::Status" => Process::Status.instance_methods(false),
          "Gem::Specification" => SPECIFICATION, "Gem::BasicSpecification" => SPECIFICATION,
          "Bundler::DepProxy" => %i[name], "Bundler::Settings" => %i[[]]
        }.freeze
        SINGLETON = {
          "Time" => %i[utc gm at local mktime], "Thread" => %i[current], "Ractor" => %i[current],
          "Process" => %i[spawn wait wait2],
          "Kernel" => %i[Integer Float String Array Hash format sprintf catch throw raise lambda proc loop require load
                         open system spawn `],
          "Bundler" => %i[root default_gemfile default_lockfile settings bundle_path app_config_path app_cache user_home
                          user_bundle_path local_platform current_ruby ruby_scope],
          "Gem" => %i[ruby_version ruby_api_version ruby_engine rubygems_version win_platform? java_platform?
                      solaris_platform? platforms path paths dir default_dir default_path user_dir user_home ruby
                      suffixes]
        }.freeze
        # Methods whose result depends on the installed gems.
        GEMS = { "Gem::Dependency" => %i[matching_specs to_specs to_spec], "Kernel" => %i[gem] }.freeze
        # Modules whose Ruby methods are checked too. The calls that these methods make are not checked, so the
        # application may call only methods meant for Gemfiles and gemspecs.
        TOOLS = /\A(?:\z|(?:Bundler|Gem)(?:::|\z)|Kernel\z)/
        # Methods that the application may call on modules of Bundler and RubyGems.
        CALLABLE = %i[
          new == === != ! < <= name to_s respond_to? is_a? kind_of? instance_of? nil? class method instance_method send
          public_send __send__ initialize const_missing
        ].freeze
        OBJECTS = %w[BasicObject Kernel Module Class].freeze
        NAME = Module.instance_method(:name)
        # Methods that access single environment variables, so that the names can be traced.
        ENVIRONMENT = %i[[] fetch key? include? has_key? member? values_at slice assoc delete []= store].freeze
        # Methods => kinds of facts that they return: facts about a path (Hooks records the path), the working
        # directory, the time zone, the encoding of a text.
        FACTS_OF_METHODS = {
          mtime: %i[times], stat: %i[state], lstat: %i[state links], test: %i[state times links], symlink?: %i[links],
          ftype: %i[links], readlink: %i[links], realpath: %i[links], realdirpath: %i[links], pwd: %i[here],
          getwd: %i[here], require: %i[library], at: %i[zone], local: %i[zone], mktime: %i[zone],
          encoding: %i[encoding], external_encoding: %i[encoding], dump: %i[encoding]
        }.freeze
        # refused: reasons (String) not to cache the result. started: reasons not to use it in another process.
        # observed: values of FACTS_OF_METHODS, and :gems if the result depends on the installed gems.
        attr_reader :refused, :started, :observed

        # before: whether code of the application was loaded before tracing.
        def initialize(origin, before:)
          @origin = origin
          @refused, @started, @observed = Array.new(3) { [] }
          @switch = TraceSwitch.new(origin, TracePoint.new(:c_call, :call) { |point| called(point) }, always: before)
        end

        # Traces while the block runs.
        def watch(&block)
          missing = TracePoint.new(:raise) { |point| record_missing(point.raised_exception) }
          missing.enable { @switch.trace(method(:compiled), &block) }
        end

        private

        def called(point)
          path = path_of(point) or return
          kind = @origin.kind(path)
          return called_by_tool(point) if kind == :tool
          return if kind == :library && !@origin.own_caller?(caller_locations(2))

          judge(point, kind)
        end

        # Handles a call by Bundler or RubyGems, or a call of one of their methods.
        def called_by_tool(point)
          @switch.stop_after_many_calls
          return unless point.event == :call && @origin.kind(point.path) == :tool

          kind = @origin.kind(caller_locations(4, 1)&.first&.path)
          return if kind == :tool || (kind == :library && !@origin.own_caller?(caller_locations(4)))

          judge(point, kind) if owner_of(point).first.match?(TOOLS)
          @switch.pause_until_return(point)
        end

        # kind: the kind of the calling code.
        def judge(point, kind)
          owner, single = owner_of(point)
          # The standard library reads the encoding of file names; the result does not depend on it.
          return if kind == :library && owner == "Encoding"

          name = point.method_id
          @observed |= FACTS_OF_METHODS.fetch(name, [])
          return @observed |= [:gems] if GEMS[owner]&.include?(name) || (single && owner == "Gem::Specification")
          return if known?(point, owner, single) && !(kind == :own && (PRIVATE.include?(name) || inside?(point, owner)))

          @refused |= ["calls #{name(point)}, which cannot be traced"]
        end

        # Whether the call accesses internals of Bundler's or RubyGems' modules, whose values were not traced.
        def inside?(point, owner)
          OBJECTS.include?(owner) && Module === point.self && # rubocop:disable Style/CaseEquality -- it may not have is_a?
            name_of(point.self).match?(/\A(?:Bundler|Gem)(?:::|\z)/) && !CALLABLE.include?(point.method_id)
        end

        # Binds Module#name, because a module may redefine `name`.
        def name_of(owner) = NAME.bind_call(owner).to_s

        def path_of(point)
          path = point.path
          return path.to_s if point.event == :c_call || @origin.kind(path) == :tool

          return unless path.start_with?("<internal:") && path.match?(CodeOrigin::INTERNAL)

          caller_locations(4, 1)&.first&.path.to_s
        end

        # [name of the class or module, whether it is a singleton method]. Finds the class that defines an inherited
        # singleton method.
        def owner_of(point)
          owner = point.defined_class
          return [name_of(owner), false] unless owner.singleton_class?

          receiver = point.self
          return ["", true] unless Module === receiver # rubocop:disable Style/CaseEquality -- it may not have is_a?

          [name_of(receiver.ancestors.find { |one| one.singleton_class.equal?(owner) } || receiver), true]
        end

        def known?(point, owner, single)
          name = point.method_id
          return name != :"core#set_variable_alias" if name.start_with?("core#")
          return false if UNSTABLE.include?(name) || (name == :initialize_copy && owner.match?(/\A(?:Module|Class)\z/))
          return ENVIRONMENT.include?(name) if ENV.equal?(point.self)
          return owner != "IO" || name != :initialize if TRACED.include?(owner) && !UNTRACED.include?(name)
          return true if VALUES.include?(owner) || owner.match?(NAMESPACES)

          return SINGLETON[owner]&.include?(name) || main_or_value_class?(point.self) if single

          owner.end_with?("Error") || INSTANCE[owner]&.include?(name) || accessor?(point)
        end

        # Whether the method was defined by attr_accessor, which TracePoint reports as a C call. Excludes methods that a
        # hook has replaced.
        def accessor?(point)
          return false unless point.event == :c_call

          method = point.defined_class.instance_method(point.method_id)
          method.owner == point.defined_class && method.source_location &&
            @origin.kind(method.source_location.first) != :tool
        end

        # Whether the receiver is the main object, or a class of structs or exceptions.
        def main_or_value_class?(receiver)
          TOPLEVEL_BINDING.receiver.equal?(receiver) ||
            (Module === receiver && (receiver < Struct || receiver <= Exception)) # rubocop:disable Style/CaseEquality -- as above
        end

        def name(point)
          return "ENV.#{point.method_id}" if ENV.equal?(point.self)

          single = point.defined_class.singleton_class?
          "#{single ? point.self : point.defined_class}#{single ? "." : "#"}#{point.method_id}"
        end

        def compiled(sequence)
          @refused |= ["evaluates code as #{sequence.path}"] unless @origin.kind(sequence.path) == :own
          said = Instructions.new(sequence)
          @refused |= said.globals.map { |name| "reads #{name}" }
          @started |= said.reasons unless Gem.path.any? { |place| sequence.path.start_with?("#{place}/gems/") }
          said.defaults
        end

        # Handles a raised exception. A library that is missing now may be installed later, and a constant that is
        # undefined here may be defined in another process.
        def record_missing(error)
          return unless error.is_a?(LoadError) || error.is_a?(NameError)

          frame = caller_locations(2).find do |one|
            !one.path.match?(CodeOrigin::INTERNAL) && !one.path.match?(%r{/rubygems/core_ext/|/bundled_gems\.rb\z})
          end
          kind = frame && @origin.kind(frame.path)
          @started |= ["checks what is defined"] if kind == :own && error.is_a?(NameError)
          @observed |= [:gems] if frame && kind != :tool && error.is_a?(LoadError)
        end
      end
    end
  end
end
