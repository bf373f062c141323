# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # State shared by the steps of one restore.
        class Parts
          attr_reader :context, :plan, :store, :report, :outcome, :items, :left_out, :packages, :trash, :folders,
                      :slots, :scripts
          # Whether there was a node_modules.
          attr_accessor :existed

          def initialize(context, plan)
            @context = context
            @plan = plan
            @store = context.store
            @report = Report.new
            @outcome = Outcome.new(root: plan.root, store_root: @store.root)
            @items = Supply::Items.new(plan)
            @packages = Supply::Packages.new(context)
            @scripts = Scripts::Session.new(plan, @outcome, context.configuration, context) do |tree|
              @packages.vouch?(@items.of(tree), tree)
            end
            context.share_nothing if @scripts.own? && !Scripts.part?
            make_places
          end

          # Whether a tree is one of a global virtual store.
          def shared?(tree) = tree.path.start_with?("/")

          # Scripts will write into such a tree, so it shares nothing.
          def runs?(tree)
            return false unless @items.of(tree).facts.builds? && !@context.options.ignore_scripts

            @policy ||= Scripts::Policy.of(@plan, @context.configuration)
            @policy.decide(tree).first
          end

          # Trees that are there: [Tree].
          def present = @left_out.others

          # Wanted, by what is known of the packages now. ran: as Wanted has it.
          def wanted(ran = @scripts.scripted)
            @outcome.facts = present.to_h { |tree| [tree.path, @items.of(tree).facts] }
            Wanted.new(@plan, @outcome.facts, @left_out.trees, @context, ran)
          end

          # entries: { path => Symlink or TextFile }
          def place_entries(entries) = Place::Entries.new(@context, @folders, @trash).call(entries)

          private

          def make_places
            @left_out = LeftOut.new(@plan, @items, @outcome)
            @trash = Place::Trash.new(@store, @plan.root)
            @folders = Place::Folders.new(@plan.root, @trash)
            @slots = Place::Slots.new(@context, @plan, @items, @trash)
          end
        end
      end
    end
  end
end
