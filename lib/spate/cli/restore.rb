# frozen_string_literal: true

module Spate
  module CLI
    # `spate restore GEM`: restores a gem's original files in this bundle after changes, deletions or `spate edit`.
    class Restore < Install
      summary "Restore the original files of gems in this bundle"
      usage "spate restore GEM ... [options]"
      usage "spate restore --all"
      option :all, "--all", "every gem that comes from a gem source"
      option :local, "--local", "no network: use the store, vendor/cache and installed gems"
      bundle_options
      common_options
      example "spate restore rack", "undo edits and deletions of rack's files, and `spate edit rack`"
      note "Files added to the gem are removed. Other bundles do not change.\n" \
           "Stored builds are reused; `spate install --rebuild GEM` rebuilds a gem."

      def run
        names = restored
        context.settings.validate!
        events = Events.new
        print_report(install(events))
        terminal.info "restored: #{Util::Terminal.plain(names.join(", "))}" unless names.empty? || json?
        0
      end

      private

      # Sets `frozen`, because restoring must not change the lockfile.
      def context = @context ||= Context.new(values: { **values, frozen: true }, env: env, terminal: terminal)

      def install_options
        ::Spate::Install::Options.new(restore: values[:all] ? :all : operands, **values.slice(:local))
      end

      # Full names of the gems to restore, or [] with --all.
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
        raise UsageError.new("#{spec.full_name} is in a #{git ? "git checkout" : "path source"}, not from a package",
                             hint: git ? "bundle pristine #{spec.name}" : "restore the files of that folder yourself")
      end
    end
  end
end
