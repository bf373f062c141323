# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # A Rack application instead of a folder, and the threads that it has.
      module RackOptions
        # Sets values[:rack] (a path), values[:threads], values[:waiting].
        def self.add(parser, values)
          parser.separator "\nRack:"
          parser.on("--rack FILE", "serve a Rack application: its config.ru") { |path| values[:rack] = path }
          parser.on("--threads N", Rack::COUNT, "requests that a process works on at once " \
                                                "(RAILS_MAX_THREADS, else #{Rack::THREADS})") do |value|
            values[:threads] = value.to_i
          end
          parser.on("--waiting N", Rack::COUNT, "requests that may wait for a thread; more are answered with 503 " \
                                                "(#{Rack::WAITING})") do |value|
            values[:waiting] = value.to_i
          end
        end
      end
    end
  end
end
