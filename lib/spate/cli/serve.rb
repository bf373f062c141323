# frozen_string_literal: true

module Spate
  module CLI
    # `spate serve`: the program of the gem spate-server, in place of this process. Its options are its own.
    class Serve < Command
      # The gem spate-server is not there.
      class Missing < Error
        EXIT_CODE = 14

        def initialize
          super("serving needs the gem spate-server, which is not installed for ruby #{RUBY_VERSION}",
                hint: "gem install spate-server")
        end
      end

      GEM = "spate-server"
      PROGRAM = "spate-serve"
      # Where this is a checkout, the gem's sources are in it.
      CHECKOUT = File.expand_path("../../../server/exe/#{PROGRAM}", __dir__)

      summary "Serve a folder, a Rack application or a team's cache over HTTP/2 (with the gem spate-server)"
      usage "spate serve DIR [options]"
      usage "spate serve --rack config.ru [options]"
      usage "spate serve --cache DIR [options]"
      option :port, "-p", "--port", "NUMBER", "port to listen on; 8080", kind: :integer
      option :host, "--host", "ADDRESS", "address to listen on; 127.0.0.1"
      option :tls, "--tls", "speak TLS, with a certificate made for localhost, or --cert FILE --key FILE"
      option :rack, "--rack", "FILE", "a Rack application instead of a folder"
      option :cache, "--cache", "DIR", "the cache of a team out of this folder, by Bazel's protocol"
      option :cache_write_token, "--cache-write-token", "FILE", "tokens that may write to it, one a line; default: none"
      option :cache_read_token, "--cache-read-token", "FILE", "tokens of who may read it; else everybody"
      option :cache_open, "--cache-open", "who may read may fill it: on 127.0.0.1 alone"
      option :workers, "-w", "--workers", "N", "processes; 1, and 0 for one a processor", kind: :integer
      option :access_log, "--access-log", "FILE", "a line for each request; - for stdout"
      option :help, "-h", "--help", "this text"
      example "spate serve public", "http://127.0.0.1:8080, HTTP/2 and HTTP/1.1"
      example "spate serve . --tls --port 8443", "the same with https"
      example "spate serve --cache builds --cache-write-token tokens", "the cache of a team"
      note "`spate-serve --help` has every option: limits, logs, metrics, profiling."

      def self.run(argv, terminal:, env:)
        return HelpText.new(self).print(terminal.out) if (argv & %w[-h --help]).any?

        Kernel.exec(env.to_h, ::Spate::Ground::Ruby.path, program, *argv)
      end

      # Path of the program. Missing where there is none.
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
