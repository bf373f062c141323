# frozen_string_literal: true

require_relative "../../version"

module Spate
  module Gemfile
    module Setup
      # The bytes that are kept: "SPATE STANDIN 11 0.1.0\n", which names the format and the version of Spate, since
      # another one may ask for other facts; then inputs, facts and more by Marshal, the last two separately, so that
      # each step reads only what it needs. The image that holds the bytes has a checksum and an owner.
      #
      #   inputs  refused        why a boot must ask the real Bundler (String), nil where the record answers
      #           again          whether that may change while the basis stays the same
      #           ruby           see Record.ruby
      #           folder         in which the program has to run, if the Gemfile depends on it
      #           basis          see Fingerprint
      #           gemfile, root  of the application
      #   facts   see Boot::Standin::Activation
      #   more    what is rarely asked of a specification
      class Record
        NAME = "SPATE STANDIN "
        MAGIC = "#{NAME}11 #{VERSION}\n".freeze
        Place = Struct.new(:gemfile, :root)

        def self.bytes(inputs, facts = {}, more = [])
          MAGIC.b << Marshal.dump([inputs, Marshal.dump(facts), Marshal.dump(more)])
        end

        # Identifies the interpreter.
        def self.ruby = [RUBY_DESCRIPTION.sub(/ \+[A-Z]?JIT( \w+)?/, ""), RUBY_PLATFORM]

        attr_reader :bytes

        def initialize(bytes)
          @bytes = bytes
        end

        # true, or why it may not be used in this environment (String): something that Bundler looked at has changed.
        def usable?(env) = unreadable || refused || another_ruby || another_folder || change(env) || true

        # Whether `usable?` had to compare contents: a new record would be quicker to check.
        def worn? = @worn == true

        # Whether it is usable, but in another environment.
        def other_environment?(env)
          !unreadable && !refused && !another_ruby && Fingerprint.elsewhere?(inputs[:basis], place, env)
        end

        # Why it cannot be read (String), nil where it can.
        def unreadable
          return if parts

          line = @bytes.byteslice(0, @bytes.index("\n").to_i + 1)
          foreign = line.start_with?(NAME) && line != MAGIC
          foreign ? "the record was made by another Spate" : "the record is damaged"
        end

        # Why the real Bundler has to be asked (String), nil where it need not be, or if the record cannot be read.
        def refused = (inputs[:refused] if parts)

        # Whether a new one is worth making: this one cannot be read, or is about another bundle than there is now, or
        # what Bundler looked at changed at that moment. For a program in another folder than the Gemfile expects it
        # would be the same again; and so would a refusal whose basis is unchanged.
        def outdated?(env)
          return true unless parts
          return !another_folder unless refused

          inputs[:again] == true || (inputs[:basis] && !change(env).nil?) || false
        end

        # [$LOAD_PATH's new entries, [[gem folder, [absolute require paths]]]]; nil where it may not be used. Without
        # Bundler itself, whose files a boot records when it loads them.
        def contents
          return if unreadable || refused

          bundled = facts[:specs].values_at(*facts[:bundled]).reject { |spec| spec.first == "bundler" }
          [facts[:load_path], bundled.map { |spec| spec.values_at(4, 6) }]
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

        def load(bytes) = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad -- from an image of this user's

        def another_ruby
          "another Ruby runs: #{RUBY_DESCRIPTION}" unless inputs[:ruby] == Record.ruby
        end

        # The folder may be named through a symbolic link.
        def another_folder
          folder = inputs[:folder]
          "the program does not run in #{folder}" unless folder.nil? || File.identical?(".", folder)
        end

        def change(env)
          change = Fingerprint.change(inputs[:basis], place, env)
          @worn = change == :renew
          change unless @worn
        end

        def place = Place.new(*inputs.values_at(:gemfile, :root))
      end
    end
  end
end
