# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # Whether everything that the real Bundler looked at is as it was. inputs of a Record:
      #
      #   refused  why there is no stand-in (String), nil where there is one
      #   again    whether that may be otherwise the next time
      #   ruby     RUBY_DESCRIPTION and what else names the interpreter
      #   env      { key => [hash of the value, ...] }, before and after Bundler.setup: both are as good; nil: unset
      #   folder   that the program runs in, where the Gemfile depends on it
      #   disk     see Disk
      class Validity
        def initialize(record, env)
          @record = record
          @env = env
        end

        # Inputs on the disk that only their content showed to be the same.
        attr_reader :revalidated

        # true or the reason.
        def call
          @revalidated = 0
          unreadable = @record.unreadable and return unreadable

          inputs = @record.inputs
          inputs[:refused] || ruby(inputs[:ruby]) || environment(inputs[:env]) || folder(inputs[:folder]) ||
            disk(inputs[:disk]) || true
        end

        # Whether it is as good as ever, but for another environment than this.
        def other_environment?
          return false if @record.unreadable || @record.refused

          inputs = @record.inputs
          !ruby(inputs[:ruby]) && !environment(inputs[:env]).nil? && !Disk.new(inputs[:disk]).change
        end

        def self.ruby
          [RUBY_DESCRIPTION.sub(/ \+[A-Z]?JIT( \w+)?/, ""), RUBY_PLATFORM]
        end

        private

        def ruby(recorded)
          "another Ruby runs: #{RUBY_DESCRIPTION}" unless recorded == Validity.ruby
        end

        def environment(recorded)
          Environment.watched(@env).each { |key| return "#{key} is set" unless recorded.key?(key) }
          recorded.each do |key, hashes|
            value = Environment.value(@env, key)
            return "#{key} has changed" unless hashes.include?(value && Input.hash(value))
          end
          nil
        end

        # By the name of the application's folder that a symbolic link may have.
        def folder(recorded)
          "the program does not run in #{recorded}" if @record.elsewhere?
        end

        def disk(recorded)
          disk = Disk.new(recorded)
          disk.change.tap { @revalidated = disk.revalidated }
        end
      end
    end
  end
end
