# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # --profile and the like. values[:profile]: for Profile.attach; values[:profile_convert]: [from, to] for
      # Profile.convert, which is all that is to be done then.
      module ProfileOptions
        def self.add(parser, values)
          parser.separator "\nProfiling:"
          parser.on("--profile FILE", "record where CPU time goes from start to end: .html (a page that",
                    "needs no tool), .dump (stackprof) or .json (Firefox profiler)") do |path|
            set(values, :profile, writable(path))
          end
          add_signal(parser, values)
          add_details(parser, values)
          parser.on("--profile-convert FROM,TO", Array,
                    "only write a .dump or .json in the format TO ends with") do |two|
            raise OptionParser::InvalidArgument, "#{two.join(",")}: FROM,TO are two files" if two.size != 2

            values[:profile_convert] = two.each { |path| checked(path) }
          end
        end

        def self.add_signal(parser, values)
          name = "SIG#{Profile::Signals::NAME}"
          parser.on("--profile-on-signal FILE", "#{name} starts a profile, and the next one writes it to FILE with",
                    "numbers (spate-serve.html in the folder for temporary files); of several",
                    "workers each has its own: the signal is for a worker") do |path|
            set(values, :on_signal, writable(path))
          end
          seconds = Profile::Signals::SECONDS
          parser.on("--profile-seconds N", Integer, "it writes itself then (#{seconds})") do |count|
            raise OptionParser::InvalidArgument, "#{count}: 1 is the least" unless count.positive?

            set(values, :seconds, count)
          end
        end

        def self.add_details(parser, values)
          parser.on("--profile-rate N", Integer, "samples a second of CPU time (#{Profile::RATE})") do |rate|
            raise OptionParser::InvalidArgument, "#{rate}: 1 to 10000" unless rate.between?(1, 10_000)

            set(values, :rate, rate)
          end
          names = Profile::Engine::NAMES
          parser.on("--profiler NAME", names, "#{names.join(", ")} (the first that is installed)") do |name|
            set(values, :engine, name)
          end
        end

        def self.set(values, key, value) = (values[:profile] ||= {})[key] = value

        def self.checked(path)
          Profile::Format.check(path)
          path
        end

        # It is written when the server ends: too late to say that it cannot be.
        def self.writable(path)
          folder = File.dirname(File.expand_path(checked(path)))
          return path if File.directory?(folder) && File.writable?(folder)

          reason = File.directory?(folder) ? "nothing may be written there" : "no folder"
          raise Error.new("#{path} cannot be written: #{folder}: #{reason}", hint: "choose another FILE")
        end
        private_class_method :add_signal, :add_details, :set, :checked, :writable
      end
    end
  end
end
