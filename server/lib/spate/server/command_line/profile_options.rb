# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # --profile and the like. values[:profile]: for Profile.attach; values[:profile_convert]: [from, to] for
      # Profile.convert, after which the command ends.
      module ProfileOptions
        def self.add(parser, values)
          parser.separator "\nProfiling:"
          parser.on("--profile FILE", "record where time goes, from start to end, with the gem vernier or",
                    "stackprof: .html (a page that needs no tool) or .json (the gem's own)") do |path|
            set(values, :profile, writable(path))
          end
          add_signal(parser, values)
          add_details(parser, values)
          parser.on("--profile-convert FROM,TO", Array,
                    "write the page TO (.html) of the profile FROM (.json), and exit") do |two|
            raise OptionParser::InvalidArgument, "#{two.join(",")}: FROM,TO are two files" if two.size != 2

            values[:profile_convert] = two
          end
        end

        def self.add_signal(parser, values)
          name = "SIG#{Profile::Signals::NAME}"
          parser.on("--profile-on-signal FILE", "#{name} starts a profile, and the next one writes it beside FILE,",
                    "named with the process's id and a count (default: spate-serve.html in the",
                    "folder for temporary files); with several workers, signal one of them") do |path|
            set(values, :on_signal, writable(path))
          end
          seconds = Profile::Signals::SECONDS
          parser.on("--profile-seconds N", Integer, "end of a profile without a second signal (#{seconds})") do |count|
            raise OptionParser::InvalidArgument, "#{count}: the minimum is 1" unless count.positive?

            set(values, :seconds, count)
          end
        end

        def self.add_details(parser, values)
          parser.on("--profile-rate N", Integer, "samples per second (#{Profile::RATE})") do |rate|
            raise OptionParser::InvalidArgument, "#{rate}: 1 to 10000" unless rate.between?(1, 10_000)

            set(values, :rate, rate)
          end
          names = Profile::PROFILERS
          parser.on("--profiler NAME", names, "#{names.join(" or ")} (default: the first one installed)") do |name|
            set(values, :profiler, name)
          end
        end

        def self.set(values, key, value) = (values[:profile] ||= {})[key] = value

        # The file is written when the server ends, which is too late to reject it.
        def self.writable(path)
          Profile.ending(path)
          folder = File.dirname(File.expand_path(path))
          return path if File.directory?(folder) && File.writable?(folder)

          reason = File.directory?(folder) ? "permission denied" : "not a directory"
          raise Error.new("#{path} cannot be written: #{folder}: #{reason}", hint: "choose another FILE")
        end
        private_class_method :add_signal, :add_details, :set, :writable
      end
    end
  end
end
