# frozen_string_literal: true

require "#{__dir__}/../../gemfile/basis.rb"

module Spate
  module Boot
    module Standin
      # Whether everything that the real Bundler looked at is as it was. inputs of a Record:
      #
      #   refused        why there is no stand-in (String), nil where there is one
      #   again          whether that may be otherwise the next time
      #   ruby           RUBY_DESCRIPTION and what else names the interpreter
      #   folder         that the program runs in, where the Gemfile depends on it
      #   basis          see Gemfile::Basis
      #   gemfile, root  of the application
      class Validity
        Place = Struct.new(:gemfile, :root)

        def initialize(record, env)
          @record = record
          @env = env
        end

        # Whether some of it showed only by its content to be the same, and a record made anew is quicker to check.
        attr_reader :worn

        # true or the reason.
        def call
          @worn = false
          unreadable = @record.unreadable and return unreadable

          inputs = @record.inputs
          inputs[:refused] || ruby(inputs[:ruby]) || folder(inputs[:folder]) || basis(@env) || true
        end

        # Whether it is as good as ever, but for another environment than this.
        def other_environment?
          return false if @record.unreadable || @record.refused

          !ruby(@record.inputs[:ruby]) && Gemfile::Basis.elsewhere?(@record.inputs[:basis], place, @env)
        end

        def self.ruby
          [RUBY_DESCRIPTION.sub(/ \+[A-Z]?JIT( \w+)?/, ""), RUBY_PLATFORM]
        end

        private

        def ruby(recorded)
          "another Ruby runs: #{RUBY_DESCRIPTION}" unless recorded == Validity.ruby
        end

        # By the name of the application's folder that a symbolic link may have.
        def folder(recorded)
          "the program does not run in #{recorded}" if @record.elsewhere?
        end

        def basis(env)
          change = Gemfile::Basis.change(@record.inputs[:basis], place, env)
          return change if change.is_a?(String)

          @worn = change == :renew
          nil
        end

        def place = Place.new(*@record.inputs.values_at(:gemfile, :root))
      end
    end
  end
end
