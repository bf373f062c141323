# frozen_string_literal: true

module Spate
  module Git
    # The checkout of a git source.
    #
    # path::     folder of the checkout, ".../bundler/gems/rack-0123456789ab"
    # gemspecs:: Array of Gemspec, one per gem
    # made::     whether this run created it (it was missing or incomplete)
    Checkout = Struct.new(:path, :gemspecs, :made) do
      # Name of the folder, and of its gems' folder of native extensions.
      def name = File.basename(path)

      # Gemspec of a gem in the checkout, or nil.
      def gemspec(gem_name) = gemspecs.find { |gemspec| gemspec.name == gem_name }
    end
  end
end
