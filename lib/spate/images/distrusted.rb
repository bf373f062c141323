# frozen_string_literal: true

module Spate
  module Images
    # Images of an application that contain code of a signer whom it does not trust, or no longer trusts.
    module Distrusted
      # Removes them: the application boots without, until a builder has made others. trusts: see ImageFile. Returns
      # whether there were any.
      def self.remove(images, location, trusts)
        [images.application_path(location), images.overlay_path(location)].select do |path|
          ImageFile.new(path, images.ruby_key, trusts: trusts).reason == :signer && Util::Files.remove(path)
        end.any?
      end
    end
  end
end
