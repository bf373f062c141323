# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Finds installed gems whose build was signed by a signer that this bundle does not trust, or used such a build.
      # The signer was trusted before, or another project uses the same folder. These gems do not count as installed.
      class Distrusted
        # The name of a file in folders of extensions. Extensions::Signers, which reads it, is loaded only if the file
        # exists.
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
