# frozen_string_literal: true

module Spate
  module CompileCache
    # Compile caches of an application that contain code of a signer whom the application does not trust, or no longer
    # trusts.
    module Distrusted
      # Removes them. The application boots without them until a builder has built new ones. trusts: see CacheFile.
      # Returns whether there were any.
      def self.remove(caches, location, trusts)
        [caches.application_path(location), caches.overlay_path(location)].select do |path|
          CacheFile.new(path, caches.ruby_key, trusts: trusts).reason == :signer && Util::Files.remove(path)
        end.any?
      end
    end
  end
end
