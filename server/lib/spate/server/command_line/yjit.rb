# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # Starts YJIT. Ruby 3.3 can start YJIT at run time. Ruby 3.1 and 3.2 can only start it together with the
      # interpreter, so the command executes itself again. By default they reserve 256 MB for code and touch all of it;
      # a server needs 8 MB.
      module YJIT
        ARGUMENTS = %w[--yjit --yjit-exec-mem-size=8].freeze

        # wanted: true, false, or nil to start YJIT only if the running Ruby can do so. command: a Workers::Command.
        # Either returns, or replaces the process by `exec`. Raises Server::Error when this Ruby has no YJIT.
        def self.start(wanted, command)
          return if wanted == false || (built? && RubyVM::YJIT.enabled?)
          return RubyVM::YJIT.enable if built? && RubyVM::YJIT.respond_to?(:enable)
          return if wanted.nil?
          raise Error.new("this Ruby has no YJIT (#{RUBY_DESCRIPTION})", hint: "leave --yjit out") unless built?

          ruby, *words = command.words
          # close_others: false keeps sockets open that come from systemd or from the old server of a hot restart.
          Process.exec(ruby, *ARGUMENTS, *words, close_others: false)
        end

        def self.built? = defined?(RubyVM::YJIT) ? true : false
        private_class_method :built?
      end
    end
  end
end
