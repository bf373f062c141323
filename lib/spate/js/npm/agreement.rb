# frozen_string_literal: true

module Spate
  module JS
    module Npm
      module Agreement
        def self.check(*, **) = nil
      end
    end
  end
end
