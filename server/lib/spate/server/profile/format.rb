# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # A file's ending says what is in it. Each kind answers `write(recording, io)`; those that are read, `read(bytes,
      # path)`.
      module Format
        autoload :Firefox, "spate/server/profile/format/firefox"
        autoload :HTML, "spate/server/profile/format/html"
        autoload :Stackprof, "spate/server/profile/format/stackprof"

        ENDINGS = %w[.dump .json .html].freeze

        # The path's ending. Unreadable for another.
        def self.check(path)
          ending = File.extname(path)
          ENDINGS.include?(ending) ? ending : raise(Unreadable.new(path, "#{ending.inspect} names no format"))
        end

        def self.of(ending) = { ".dump" => Stackprof, ".json" => Firefox, ".html" => HTML }.fetch(ending)

        # A Recording out of a file. Unreadable, SystemCallError.
        def self.read(path)
          of(check(path)).read(File.binread(path), path)
        end

        def self.write(recording, path)
          OutputFile.new(path).write { |file| of(check(path)).write(recording, file) }
        end
      end
    end
  end
end
