# frozen_string_literal: true

module Spate
  module CompileCache
    # Compile caches of an application that contain code of a signer whom it does not trust, or no longer trusts.
    module Distrusted
      # Removes them: the application boots without, until a builder has made others. trusts: see CacheFile. Returns
      # whether there were any.
      def self.remove(caches, location, trusts)
        [caches.application_path(location), caches.overlay_path(location)].select do |path|
          CacheFile.new(path, caches.ruby_key, trusts: trusts).reason == :signer && Util::Files.remove(path)
        end.any?
      end
    end
  end
end
