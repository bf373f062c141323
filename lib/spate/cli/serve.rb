# frozen_string_literal: true

module Spate
  module CLI
    # `spate serve`: replaces this process with the program of the gem spate-server, which parses the options.
    class Serve < Command
      # The gem spate-server is not installed.
      class Missing < Error
        EXIT_CODE = 14

        def initialize
          super("serving needs the gem spate-server, which is not installed for Ruby #{RUBY_VERSION}",
                hint: "gem install spate-server")
        end
      end

      GEM = "spate-server"
      PROGRAM = "spate-serve"
      # The program in a checkout of Spate, which contains the gem's sources.
      CHECKOUT = File.expand_path("../../../server/exe/#{PROGRAM}", __dir__)

      summary "Serve a folder, a Rack application or a team's cache over HTTP/2 (with the gem spate-server)"
      usage "spate serve DIR [options]"
      usage "spate serve --rack config.ru [options]"
      usage "spate serve --cache DIR [options]"
      option :port, "-p", "--port", "NUMBER", "port to listen on; default: 8080", kind: :integer
      option :host, "--host", "ADDRESS", "address to listen on; default: 127.0.0.1"
      option :tls, "--tls", "use TLS with a certificate generated for localhost, or --cert FILE --key FILE"
      option :rack, "--rack", "FILE", "serve a Rack application instead of a folder"
      option :cache, "--cache", "DIR", "serve a team's cache from this folder, with Bazel's protocol"
      option :cache_write_token, "--cache-write-token", "FILE", "tokens with write access, one per line; default: none"
      option :cache_read_token, "--cache-read-token", "FILE", "tokens with read access; default: access for everyone"
      option :cache_open, "--cache-open", "allow every reader to write; only on 127.0.0.1"
      option :workers, "-w", "--workers", "N", "processes; default: 1; 0: one per processor", kind: :integer
      option :access_log, "--access-log", "FILE", "log each request; - for stdout"
      option :help, "-h", "--help", "print this help"
      example "spate serve public", "serve http://127.0.0.1:8080 with HTTP/2 and HTTP/1.1"
      example "spate serve . --tls --port 8443", "serve https"
      example "spate serve --cache builds --cache-write-token tokens", "serve a team's cache"
      note "`spate-serve --help` has every option: limits, logs, metrics, profiling."

      def self.run(argv, terminal:, env:)
        return Help::Text.new(self).print(terminal.out) if (argv & %w[-h --help]).any?

        Kernel.exec(env.to_h, ::Spate::Util::Ruby.path, program, *argv)
      end

      # Path of the program. Raises Missing.
      def self.program
        return CHECKOUT if File.exist?(CHECKOUT)

        require "rubygems"
        Gem::Specification.find_by_name(GEM).bin_file(PROGRAM)
      rescue Gem::MissingSpecError
        raise Missing
      end
    end
  end
end
