# frozen_string_literal: true

module Spate
  module Build
    # What configures cargo besides its environment: files of the folders above a crate, and the user's.
    module Cargo
      CONFIG = %r{(?:\A|/)\.cargo/config(?:\.toml)?\z}

      module_function

      # Their texts, joined. folder: what all crates of a bundle lie in. environment: Environment.
      def configuration(folder, environment)
        folders = above(folder).map { |path| "#{path}/.cargo" }
        folders << (environment["CARGO_HOME"] || "#{environment["HOME"]}/.cargo")
        folders.uniq.flat_map { |path| %w[config config.toml].map { |name| "#{path}/#{name}" } }.filter_map do |path|
          File.binread(path)
        rescue SystemCallError
          nil
        end.join
      end

      def above(folder)
        found = [folder]
        found << File.dirname(found.last) until found.last == File.dirname(found.last)
        found
      end
      private_class_method :above
    end
  end
end
