# frozen_string_literal: true

module Spate
  module CLI
    # `spate restore GEM`: the package's files again, in this bundle, whatever was changed, deleted or made private.
    class Restore < Install
      summary "Give gems of this bundle their packages' files again"
      usage "spate restore GEM ... [options]"
      usage "spate restore --all"
      option :all, "--all", "every gem that comes from a gem source"
      option :local, "--local", "no network: the store, vendor/cache and gems that are there"
      bundle_options
      common_options
      example "spate restore rack", "undoes edits of rack's files, deletions, and `spate edit rack`"
      note "Files that were added to the gem go. Other bundles are not touched.\n" \
           "A kept build is used again; `spate install --rebuild GEM` builds it again."

      def run
        names = restored
        context.settings.validate!
        events = Events.new
        tell(install(events))
        terminal.tell "restored: #{Ground::Terminal.plain(names.join(", "))}" unless names.empty? || json?
        0
      end

      private

      # The lockfile is not to change on the way.
      def context = @context ||= Context.new(values: { **values, frozen: true }, env: env, terminal: terminal)

      def install_options
        ::Spate::Install::Options.new(restore: values[:all] ? :all : operands, **values.slice(:local))
      end

      # Full names, none with --all.
      def restored
        if values[:all] ? operands.any? : operands.empty?
          raise UsageError.new("`spate restore` takes names of gems, or --all", hint: "spate restore GEM")
        end

        operands.map { |name| found(name).full_name }
      end

      def found(name)
        specs = context.lockfile.specs
        spec = specs.find { |each| [each.name, each.full_name].include?(name) } or
          raise ::Spate::Install::UnknownGemError.new(name, specs.map(&:name))
        return spec unless %i[git path].include?(spec.source.type)

        git = spec.source.type == :git
        raise UsageError.new("#{spec.full_name} is in a #{git ? "git checkout" : "folder of its own"}, of no package",
                             hint: git ? "bundle pristine #{spec.name}" : "edit or restore that folder yourself")
      end
    end
  end
end
