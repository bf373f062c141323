# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      module Child
        # What a Gemfile may ask that answers otherwise each time. Told to the Trace like its other hooks.
        module Clock
          ASKED = {
            Time: [:now], Process: %i[clock_gettime pid ppid uid euid gid egid], Date: [:today], DateTime: [:now],
            Random: %i[new rand bytes random_number new_seed urandom seed],
            Etc: %i[getlogin getpwuid getpwnam getgrgid getgrnam uname nprocessors]
          }.freeze
          OWN = %i[rand srand].freeze
          # These go by the time zone.
          ZONED = %i[at new local mktime].freeze
          # What a Gemfile leaves in the process.
          LEFT = { at_exit: "leaves something for the program's end", trap: "handles a signal" }.freeze

          # `date` is not loaded for this: which `date` comes, and where on the load path, is the bundle's business.
          module Requires
            def require(feature)
              super.tap { Clock.hook }
            end
          end

          def self.install
            hooks = Gemfile::Child::Hooks
            random = hooks.before(OWN) { |trace, *, path| trace.reject("asks for a random number", path) }
            left = LEFT.map { |name, reason| hooks.before([name]) { |trace, *, path| trace.reject(reason, path) } }
            [Kernel, Kernel.singleton_class].each { |owner| owner.prepend(random, *left) }
            Signal.singleton_class.prepend(left.last)
            folder(hooks)
            zone(hooks)
            hook
            Kernel.prepend(Requires)
          end

          # Which folder the program runs in.
          def self.folder(hooks)
            Dir.singleton_class.prepend(hooks.before(%i[pwd getwd]) { |trace, *, path| trace.here(path) })
            File.singleton_class.prepend(hooks.before(%i[expand_path absolute_path]) do |trace, (name, base), _, path|
              trace.here(path) unless base || name.to_s.start_with?("/", "~")
            end)
          end
          private_class_method :folder

          # By the variable, where it is set, else by a file.
          def self.zone(hooks)
            Time.singleton_class.prepend(hooks.before(%i[new]) do |trace, arguments, _, path|
              trace.reject("reads Time, which answers otherwise each time", path) if arguments.empty?
            end)
            Time.singleton_class.prepend(hooks.before(ZONED) do |trace, *, path|
              trace.environment("TZ", path)
              trace.note("file", "/etc/localtime") unless trace.foreign?(path)
            end)
          end
          private_class_method :zone

          # Hooks what is defined by now.
          def self.hook
            @left ||= ASKED.keys
            found, @left = @left.partition { |name| Object.const_defined?(name) }
            found.each do |name|
              owner = Object.const_get(name)
              names = ASKED[name] & owner.methods
              owner.singleton_class.prepend(Gemfile::Child::Hooks.before(names) do |trace, *, path|
                trace.reject("reads #{name}, which answers otherwise each time", path)
              end)
            end
          end
        end
      end
    end
  end
end
