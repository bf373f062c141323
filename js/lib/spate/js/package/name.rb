# frozen_string_literal: true

module Spate
  module JS
    class Package
      # Names and paths that come from outside. Each is checked when it is read, and again where it becomes a path.
      module Name
        # `name` or `@scope/name`. Older packages have capital letters and what else npm no longer takes; what matters
        # is that it is one folder, or one in another, and neither hidden, nor node_modules, nor a scope's folder.
        PART = %r{(?!\.|@|node_modules(?:/|\z))[^/\\\0\s:]{1,214}}
        # In a path between slashes: a part that is none, or leads elsewhere; and what ends a path for the system.
        OUTSIDE = ["//", "/./", "/../", "\0"].freeze
        NAME = %r{\A(?:@#{PART}/)?#{PART}\z}

        module_function

        # The name. Raises UnsafeNameError. whose: the place of the name, for the message.
        def check(name, whose)
          return name if name.is_a?(String) && name.valid_encoding? && NAME.match?(name) && name.bytesize <= 214

          raise UnsafeNameError.new(name, whose)
        end

        # A relative path without `.`, `..` and empty parts. Raises UnsafePathError.
        def check_path(path, whose)
          return path if path.is_a?(String) && path.valid_encoding? && inside?(path)

          raise UnsafePathError.new(path, whose)
        end

        # Thousands are asked for, and no pattern is as fast.
        def inside?(path)
          whole = "/#{path}/"
          OUTSIDE.none? { |part| whole.include?(part) }
        end
      end
    end
  end
end
