# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # Whether everything that the real Bundler looked at is as it was. inputs of a Record:
      #
      #   refused  why there is no stand-in (String), nil where there is one
      #   ruby     RUBY_DESCRIPTION and what else names the interpreter
      #   env      { key => [hash of the value, ...] }, before and after Bundler.setup: both are as good; nil: unset
      #   disk     see Disk
      class Validity
        def initialize(record, env)
          @record = record
          @env = env
        end

        # true or the reason.
        def call
          return "the record is damaged" unless @record.readable?

          inputs = @record.inputs
          inputs[:refused] || ruby(inputs[:ruby]) || environment(inputs[:env]) || Disk.new(inputs[:disk]).change || true
        end

        def self.ruby
          [RUBY_DESCRIPTION.sub(/ \+[YR]JIT( \w+)?/, ""), RUBY_PLATFORM]
        end

        private

        def ruby(recorded)
          "another Ruby runs: #{RUBY_DESCRIPTION}" unless recorded == Validity.ruby
        end

        def environment(recorded)
          watched = Environment.watched(@env)
          watched.each_key { |key| return "#{key} is set" unless recorded.key?(key) }
          recorded.each do |key, hashes|
            value = @env[key]
            return "#{key} has changed" unless hashes.include?(value && Input.hash(value))
          end
          nil
        end
      end
    end
  end
end
