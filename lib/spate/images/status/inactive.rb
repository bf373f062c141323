# frozen_string_literal: true

module Spate
  module Images
    class Status
      # Inactive parts: Spate in favour of another library, or another in favour of Spate. As far as this process can
      # determine, and as the last boot found.
      class Inactive
        # Status shows the current state of these.
        TOLD = %w[bootsnap replay].freeze
        # A reason that only the boot itself can know.
        SET_UP = "Bundler has set up already"

        # last: Boot::BootLog::Line of the last boot, or nil.
        def initialize(location, env, last)
          @location = location
          @env = env
          @last = last
        end

        # [{who:, why:}]
        def to_a
          [bootsnap, boxes, *found].compact
        end

        private

        def bootsnap
          return unless bundled?

          config = Boot::Bootsnap.config(@location.root, @env)
          return { who: "Spate's loader", why: "#{config} chooses how bootsnap compiles" } if File.exist?(config)

          { who: "bootsnap", why: "Spate's image serves the files; without an image bootsnap does" }
        end

        def bundled?
          path = @location.lockfile
          return false unless path && File.file?(path)

          File.read(path, encoding: Encoding::BINARY).match?(/^    bootsnap \(/)
        end

        def boxes
          { who: "Spate's loader", why: "RUBY_BOX is set" } if @env["RUBY_BOX"] == "1" || @env[Boot::Switches::BOX]
        end

        def found
          return [] unless @last

          @last.parts.reject { |name, why| (TOLD.include?(name) && why != SET_UP) || quiet?(why) }
               .map { |name, why| { who: name, why: "#{why} (the last boot)" } }
        end

        # A first boot has no images yet, which is not worth a line.
        def quiet?(why) = why.nil? || why.start_with?("no image yet", "not known to gain by it")
      end
    end
  end
end
