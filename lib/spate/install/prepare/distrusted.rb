# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Gems of a bundle whose builds somebody has signed whom it does not trust, or that saw such builds: it trusted
      # them before, or another project with the same folder does. What lies there is not in place.
      class Distrusted
        # In a folder of extensions: see Extensions::Signers, which a bundle without any does not load.
        FILE = "spate.signers"

        def initialize(context)
          @context = context
          @layout = context.layout
        end

        def include?(package)
          return gems.include?(package.full_name) if package.gem?

          package.git? && checkouts.include?(Git::Names.checkout(package.source.uri, package.source.revision))
        end

        private

        def gems = @gems ||= names(@layout.extensions)
        def checkouts = @checkouts ||= names(@layout.bundler_extensions)

        def names(folder)
          Dir.glob("*/#{FILE}", base: folder).map { |path| File.dirname(path) }.reject do |name|
            Extensions::Signers.of("#{folder}/#{name}").all? { |signer| @context.trusts.call(*signer) }
          end
        end
      end
    end
  end
end
