# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Checks the state before anything is changed: packages in the store, trees in their places. Changes nothing.
        class Look
          def initialize(parts)
            @parts = parts
            @context = parts.context
            @plan = parts.plan
            @items = parts.items
            @report = parts.report
          end

          # Items that the store lacks, and trees that are as they should be.
          attr_reader :lacking, :placed

          # Raises errors that refuse the whole restore: UnknownPackage, Store::ReadOnly, NotLocalError.
          def call
            @context.options.check_names(@plan.trees)
            @lacking = @parts.packages.lacking(@items)
            in_place = Place::InPlace.new(@context, @plan, @items, @parts.folders, written: @parts.scripts.own?)
            @placed = in_place.call
            @placed += @parts.slots.complete if @parts.slots.any?
            refuse
            warn
            warn_of_edits(in_place.edited.reject { |tree| @parts.runs?(tree) })
            count
          end

          private

          def refuse
            raise Store::ReadOnly.at(@parts.store.root) if @lacking.any? && !@parts.store.writable?
            return unless @context.options.local

            absent = @lacking.reject { |item| item.package.file? || item.optional? || @parts.packages.base?(item) }
            raise NotLocalError, absent.map(&:full_name) if absent.any?
          end

          # Warns about packages without a digest or with a weak one, and of what the tool would warn.
          def warn
            @plan.warnings&.each { |message| tell(message, nil) }
            weak = @lacking.select { |item| item.integrity&.weak? }
            none = @lacking.select { |item| item.integrity.nil? && !item.package.file? }
            tell("verified by SHA-1 only: #{named(weak)}", "a newer lockfile has SHA-512") if weak.any?
            tell("not verified, since the lockfile has no integrity: #{named(none)}", nil) if none.any?
          end

          def warn_of_edits(trees)
            return if trees.empty?

            names = trees.map { |tree| tree.names.last }.uniq.sort
            tell("edited in node_modules, and left so: #{NotLocalError.list(names)}",
                 "spate js --restore #{names.size > NotLocalError::NAMED ? "all" : names.join(",")}")
          end

          def named(items) = items.map(&:full_name).sort.then { |names| NotLocalError.list(names) }

          def tell(message, hint)
            @report.warnings << message
            @context.events.emit(:warning, message: message, hint: hint)
          end

          def count
            @report.tool = @plan.tool
            @report.root = @plan.root
            @report.total = @plan.trees.size
            @report.reused = @placed.size
            @context.events.emit(:js_plan, total: @plan.trees.size, fetch: @lacking.sum { |item| item.trees.size })
          end
        end
      end
    end
  end
end
