# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # The result of one check. state: :ok, :odd (works, could be better) or :broken (an install would fail or be
      # wrong).
      Finding = Struct.new(:state, :text, :hint, :exit_code, keyword_init: true) do
        def self.ok(text) = new(state: :ok, text: text)
        def self.odd(text, hint: nil) = new(state: :odd, text: text, hint: hint)

        def self.broken(text, hint: nil, exit_code: 1)
          new(state: :broken, text: text, hint: hint, exit_code: exit_code)
        end

        def ok? = state == :ok
        def broken? = state == :broken
      end
    end
  end
end
