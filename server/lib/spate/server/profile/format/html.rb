# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Format
        # The page, which is read by people.
        module HTML
          def self.write(recording, io)
            io.write(Page.new(recording).to_s)
          end

          def self.read(_bytes, path)
            raise Unreadable.new(path, "a page has sums only and cannot become another format")
          end
        end
      end
    end
  end
end
