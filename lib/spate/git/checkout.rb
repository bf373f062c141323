# frozen_string_literal: true

module Spate
  module Git
    # A git source in its place.
    #
    # path::     folder of the checkout, ".../bundler/gems/rack-0123456789ab"
    # gemspecs:: Array of Gemspec, one a gem in it
    # made::     whether this run made it (it was not there, or not whole)
    Checkout = Struct.new(:path, :gemspecs, :made) do
      # The folder's name, which its native extensions' folder has too.
      def name = File.basename(path)

      # Gemspec of a gem in it, or nil.
      def gemspec(gem_name) = gemspecs.find { |gemspec| gemspec.name == gem_name }
    end
  end
end
