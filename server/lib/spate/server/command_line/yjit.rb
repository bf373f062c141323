# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # Ruby's compiler. A later Ruby starts it when it is asked; 3.1 and 3.2 only at their own start: there the command
      # begins once more. Their 256 MB for code would all be touched; a server needs eight.
      module YJIT
        ARGUMENTS = %w[--yjit --yjit-exec-mem-size=8].freeze

        # wanted: true, false, or nil: where a running Ruby can start it. command: a Workers::Command. Returns, or this
        # process continues in `exec`. Server::Error where this Ruby has none.
        def self.start(wanted, command)
          return if wanted == false || (built? && RubyVM::YJIT.enabled?)
          return RubyVM::YJIT.enable if built? && RubyVM::YJIT.respond_to?(:enable)
          return if wanted.nil?
          raise Error.new("this Ruby has no YJIT (#{RUBY_DESCRIPTION})", hint: "leave --yjit out") unless built?

          ruby, *words = command.words
          # Sockets that systemd or the server before this one handed over are to stay open.
          Process.exec(ruby, *ARGUMENTS, *words, close_others: false)
        end

        def self.built? = defined?(RubyVM::YJIT) ? true : false
        private_class_method :built?
      end
    end
  end
end
