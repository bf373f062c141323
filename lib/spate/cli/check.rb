# frozen_string_literal: true

module Spate
  module CLI
    # `spate check`: checks that everything is installed, without changing anything.
    class Check < Command
      INCOMPLETE = 11

      # A read-only command found a lockfile that does not match its Gemfile.
      class Disagreement < Error
        EXIT_CODE = 4

        # difference: one line that describes the difference.
        def initialize(difference)
          absent = difference == "there is no lockfile"
          super(absent ? difference : "Gemfile and lockfile disagree: #{difference}",
                hint: "spate install, which has Bundler resolve first")
        end
      end

      summary "Check that the bundle and node_modules are complete and unchanged"
      usage "spate check [options]"
      bundle_options
      common_options
      left_to_bundler "--dry-run", "--path"
      note "Exit code 0 when complete, #{INCOMPLETE} when a gem or a file of one is missing, 4 when Gemfile and\n" \
           "lockfile disagree. Changed files, and gems that are being edited (`spate edit`), are listed and do not\n" \
           "count as failures. node_modules is checked if `spate install --js` was remembered, and\n" \
           "vendor/javascript if config/importmap.rb has pins."

      def run
        no_operands!
        output = { terminal: terminal, json: (json if json?) }
        packages = context.settings.bool("spate.js") ? check_packages(output) : 0
        pins = JSGem.activate ? JS::Pins.new(context.location.root, **output).run : 0
        status = [check_gems, packages, pins].find(&:positive?) || 0
        InPlace.start(context, [context.layout.root]) if status.zero?
        status
      end

      private

      def makes_store? = false

      def check_packages(output)
        JS.require_gem
        project = JS::Half.project(context.location.root, context.env)
        JS::Check.new(JS::Half.new(project, context, values: {}, events: Events.new), **output).run
      end

      def check_gems
        result = check
        return finish_json(result) if json?

        Output::EditedFiles.print(result.edits, terminal) unless result.edits.empty?
        result.own_copies.each { |copy| terminal.info Output::EditedGem.new(copy).message }
        raise Disagreement, result.difference if result.difference

        result.ok? ? complete(result) : incomplete(result)
      end

      def check
        events = Events.new
        events.subscribe { |event| json.call(event) } if json?
        ::Spate::Install::Check::Checker.new(location: context.location, settings: context.settings,
                                             store: context.store, events: events).run
      end

      def finish_json(result)
        result.own_copies.each { |copy| json.call(event: :editing, **copy.to_h) }
        json.call(event: :checked, ok: result.ok?, total: result.total, missing: result.missing,
                  edited: result.edits.length, editing: result.own_copies.length, difference: result.difference,
                  distrusted: result.distrusted)
        return Disagreement::EXIT_CODE if result.difference

        result.ok? ? 0 : INCOMPLETE
      end

      def complete(result)
        terminal.info "the bundle is complete: #{Units.count(result.total, "gem")}"
        0
      end

      def incomplete(result)
        foreign = result.distrusted.map { |name| "#{name}: the signer of its build is not trusted here" }
        gone = result.missing + foreign
        files = result.edits.count { |edit| edit.kind == :missing }
        found = { "gem" => gone.length, "file" => files }.select { |_, number| number.positive? }
        found = found.map { |noun, number| Units.count(number, noun) }
        terminal.error("#{found.join(" and ")} of the bundle missing", details: gone, hint: "spate install")
        INCOMPLETE
      end
    end
  end
end
