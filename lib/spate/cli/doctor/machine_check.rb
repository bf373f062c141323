# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Checks Ruby and the tools that an install may run.
      class MachineCheck
        SUPPORTED = [3, 1].freeze
        TRACING_NEEDS = "tracing needs Linux 5.5 on x86_64 or aarch64; a container must allow seccomp(2)"

        def initialize(context)
          @env = context.env
          @rubygems = Layout::Rubygems.current(env: context.env)
        end

        def each(&block)
          [ruby, native, compiler, headers, tracer, program("git", "gems from git repositories cannot be installed"),
           program("pkg-config", "many native gems use it to find their libraries"), umask, launcher].each(&block)
        end

        private

        def ruby
          text = "Ruby #{RUBY_VERSION} (#{@rubygems.ruby}), RubyGems #{@rubygems.version}, " \
                 "Bundler #{@rubygems.bundler_version}"
          return Finding.ok(text) if (RUBY_VERSION.split(".").map(&:to_i) <=> SUPPORTED) >= 0 && RUBY_ENGINE == "ruby"

          Finding.odd("#{text}: Spate supports CRuby #{SUPPORTED.join(".")} or newer", hint: "use a newer Ruby")
        end

        def native
          require "spate/native/install"
          backend = Native.inflate_backend
          return Finding.ok("archives are inflated with #{backend}") if backend.start_with?("libdeflate")

          Finding.odd("archives are inflated with #{backend}; libdeflate is two to three times faster",
                      hint: "install libdeflate-dev (on Debian), then `gem pristine spate --extensions`")
        rescue LoadError => e
          Finding.broken("Spate's extension does not load: #{e.message}", hint: Native.remedy,
                                                                          exit_code: Util::Failure::UNBUILT)
        end

        def compiler
          words = config("CC").split
          found = words.empty? ? nil : find(words.first)
          make = find("make")
          return Finding.ok("compiler #{found}, make #{make}") if found && make

          Finding.odd("#{found ? "make" : words.first || "a C compiler"} is not on the PATH: " \
                      "native gems without a stored build cannot be built",
                      hint: "install build-essential (on Debian)")
        end

        def headers
          folder = config("rubyhdrdir")
          return Finding.ok("Ruby's headers in #{folder}") if File.file?(File.join(folder, "ruby.h"))

          Finding.odd("Ruby's headers are not in #{folder}: no native gem can be built", hint: "install ruby-dev")
        end

        def tracer
          require "spate/tracer"
          reason = ::Spate::Tracer.available?
          return Finding.ok("builds and Gemfiles are traced: the files they read are known") if reason == true

          Finding.odd("builds and Gemfiles cannot be traced (#{reason}): builds are used for their own bundle " \
                      "only, and Bundler evaluates the Gemfile each time", hint: TRACING_NEEDS)
        rescue LoadError
          Finding.odd("builds and Gemfiles cannot be traced: Spate's extension does not load", hint: Native.remedy)
        end

        def program(name, consequence)
          path = find(name)
          return Finding.ok("#{name} #{path}") if path

          Finding.odd("#{name} is not on the PATH: #{consequence}", hint: "install #{name}")
        end

        def umask
          mask = format("%04o", File.umask)
          odd = if File.umask & 0o700 != 0 then "you cannot read or write new files"
                elsif File.umask & 0o002 == 0 then "every user may write to new files"
                end
          odd ? Finding.odd("umask #{mask}: #{odd}", hint: "umask 022") : Finding.ok("umask #{mask}")
        end

        def launcher
          path = find("spate") or return Finding.odd("no `spate` on the PATH", hint: setup)
          unless Setup::Launcher.own?(path)
            return Finding.odd("#{path} is RubyGems' wrapper, which loads RubyGems first and is slower", hint: setup)
          end

          state, text = Setup::FrontEnd.state(path)
          hint = "spate setup --dir #{File.dirname(path)}"
          state == :ok ? Finding.ok("launcher #{path}: #{text}") : Finding.odd("launcher #{path}: #{text}", hint: hint)
        end

        def setup
          folder = Setup.folder(@env) or return "spate setup --dir DIR, with a folder early on the PATH"
          path = File.join(folder, "spate")
          return "spate setup, which writes #{path}" unless File.exist?(path) && Setup::Launcher.own?(path)

          "put #{path} on the PATH: export PATH=\"#{folder}:$PATH\""
        end

        def find(name)
          return (name if File.executable?(name)) if name.include?("/")

          folders = @env["PATH"].to_s.split(File::PATH_SEPARATOR)
          folders.map { |folder| File.join(folder, name) }.find { |path| File.file?(path) && File.executable?(path) }
        end

        def config(name)
          require "rbconfig"
          RbConfig::CONFIG[name].to_s
        end
      end
    end
  end
end
