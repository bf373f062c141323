# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Gems with builds whose signer this bundle does not trust, or that used such builds. The signer was trusted
      # before, or another project uses the same folder. Such gems do not count as installed.
      class Distrusted
        # A file in folders of extensions: see Extensions::Signers, which is loaded only if there is one.
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
