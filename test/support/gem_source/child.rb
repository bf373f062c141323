# frozen_string_literal: true

require "rbconfig"

module GemSource
  # Runs the source in a child process, so that it does not share the client's GVL. It serves until its standard input
  # closes. After a line "requests" it prints the requests since the last such line.
  class Child
    SCRIPT = File.expand_path("../gem_source.rb", __dir__)

    attr_reader :url, :pid

    def initialize(folder:, latency_ms: 0, bandwidth: 0)
      @options = ["--folder", File.expand_path(folder), "--latency-ms", latency_ms.to_s, "--bandwidth", bandwidth.to_s]
    end

    def start
      @io = IO.popen([RbConfig.ruby, SCRIPT, *@options], "r+")
      @pid = @io.pid
      @url = @io.gets&.chomp or raise "the gem source did not start"
      self
    end

    # The requests since the last call: ["GET /versions", ...].
    def requests
      @io.puts("requests")
      lines = []
      while (line = @io.gets&.chomp) && line != "."
        lines << line
      end
      lines
    end

    def stop = @io.close

    # Runs in the child process.
    def self.serve(arguments)
      options = arguments.each_slice(2).to_h
      source = GemSource.start(folder: options.fetch("--folder"), latency_ms: options.fetch("--latency-ms", 0).to_f,
                               bandwidth: options.fetch("--bandwidth", 0).to_i)
      $stdout.sync = true
      puts source.url
      while $stdin.gets
        puts(*source.requests.map(&:to_s), ".")
        source.forget_requests
      end
    end
  end
end
