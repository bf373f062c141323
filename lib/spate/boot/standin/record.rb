# frozen_string_literal: true

require_relative "../../version"
require "#{__dir__}/../../gemfile/fingerprint.rb"

module Spate
  module Boot
    module Standin
      # What is kept: "SPATE STANDIN 11 0.1.0\n", which names the format and the Spate that made it, for another one may
      # ask for other facts; then inputs, facts and more by Marshal, the last two by themselves, so that each step reads
      # only its own. The image that holds the bytes has a checksum and an owner.
      #
      #   inputs  refused        why there is no stand-in (String), nil where there is one
      #           again          whether that may be otherwise the next time, while the basis is the same
      #           ruby           see Record.ruby
      #           folder         that the program has to run in, where the Gemfile depends on it
      #           basis          see Gemfile::Fingerprint
      #           gemfile, root  of the application
      #   facts   see Activation
      #   more    what is seldom asked of a specification
      class Record
        NAME = "SPATE STANDIN "
        MAGIC = "#{NAME}11 #{VERSION}\n".freeze
        Place = Struct.new(:gemfile, :root)

        def self.bytes(inputs, facts = {}, more = [])
          MAGIC.b << Marshal.dump([inputs, Marshal.dump(facts), Marshal.dump(more)])
        end

        # What names the interpreter.
        def self.ruby = [RUBY_DESCRIPTION.sub(/ \+[A-Z]?JIT( \w+)?/, ""), RUBY_PLATFORM]

        def initialize(bytes)
          @bytes = bytes
        end

        # true, or why it may not be used in this environment (String).
        def usable?(env) = unreadable || refused || another_ruby || another_folder || change(env) || true

        # Whether `usable?` had to read contents for it, and a record made anew is quicker to check.
        def worn = @worn == true

        # Whether it is as good as ever, but for another environment than this.
        def other_environment?(env)
          !unreadable && !refused && !another_ruby && Gemfile::Fingerprint.elsewhere?(inputs[:basis], place, env)
        end

        # Why it cannot be read (String), nil where it can.
        def unreadable
          return if parts

          line = @bytes.byteslice(0, @bytes.index("\n").to_i + 1)
          foreign = line.start_with?(NAME) && line != MAGIC
          foreign ? "the record was made by another Spate" : "the record is damaged"
        end

        # Why the real Bundler is to be used (String), nil where it is not, or where the record cannot be read.
        def refused = (inputs[:refused] if parts)

        # Whether another one is worth making: this one cannot be read, or is of another bundle than there is now, or
        # what Bundler looked at changed at that moment. Made anew for a program that runs in another folder than the
        # Gemfile expects, it would be the same; and where there is none, as long as what that stands on is as it was.
        def outdated?(env)
          return true unless parts
          return !another_folder unless refused

          inputs[:again] == true || (inputs[:basis] && !change(env).nil?) || false
        end

        def inputs = parts[0]
        def facts = @facts ||= load(parts[1])
        def more = @more ||= load(parts[2])

        private

        def parts
          @parts ||= (load(@bytes.byteslice(MAGIC.bytesize..)) if @bytes.start_with?(MAGIC))
        rescue ArgumentError, TypeError
          nil
        end

        def load(bytes) = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad -- of an image of the user's own

        def another_ruby
          "another Ruby runs: #{RUBY_DESCRIPTION}" unless inputs[:ruby] == Record.ruby
        end

        # By the name of the application's folder that a symbolic link may have.
        def another_folder
          folder = inputs[:folder]
          "the program does not run in #{folder}" unless folder.nil? || File.identical?(".", folder)
        end

        def change(env)
          change = Gemfile::Fingerprint.change(inputs[:basis], place, env)
          @worn = change == :renew
          change unless @worn
        end

        def place = Place.new(*inputs.values_at(:gemfile, :root))
      end
    end
  end
end
