# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Creates a new node_modules from an Image. Writes the same records as Execution, in the same order.
      class Repeat
        MODULES = "node_modules"

        # Call this for a project without node_modules. image: Memory::Image. surroundings: see Memory::Record.
        def initialize(context, image, surroundings)
          @context = context
          @store = context.store
          @root = context.root
          @image = image
          @rest = image.rest
          @surroundings = surroundings
          @trash = Place::Trash.new(@store, @root)
        end

        # Returns a Report, or nil if this restore needs a plan. Nothing is left of a failed attempt.
        def call
          @store.lock("store", shared: true) { restore } if possible?
        end

        private

        # Whether no scripts of the project ran earlier, and all packages are old enough.
        def possible?
          @store.writable? && !@root.match?(/[\t\n]/) &&
            Scripts::Memory.new(@store, @root).paths.empty? && !Memory::Places.builds?(@store, @root) && old_enough?
        end

        def old_enough? = @rest.age.nil? || Execution::ReleaseAges.passed?(@store, *@rest.age)

        def restore
          begin_records
          return unless place

          write_state
          @whole = true
          finish
        ensure
          Thread.handle_interrupt(::Interrupt => :never) { clean }
        end

        def begin_records
          total = @rest.report[:total]
          @context.events.emit(:js_plan, total: total, fetch: 0)
          Memory::Record.forget(@store, @root)
          text = Store::BundleRecord.moved(@rest.places, root: "#{@root}/#{MODULES}", app: @root)
          @store.writable_store.write("bundles", Store::BundleRecord.key("#{@root}/#{MODULES}"), text)
          @trash.made_folder("#{@root}/#{MODULES}")
        end

        # Returns whether everything was created.
        def place
          started = Util.now
          results = @context.native.link([[MODULES, [@image.manifest], @context.link_method]],
                                         root: @root, links: @rest.texts)
          raise Interrupted, "interrupted" if results.any? { |result| result.status == :cancelled }

          results.all?(&:ok?) && placed(started)
        end

        def placed(started)
          total = @rest.report[:total]
          @context.events.emit(:js_link_done, total: total, seconds: (Util.now - started).round(6))
          @rest.names.each { |name| @context.events.emit(:js_linked, name: name) }
        end

        def write_state
          outcome = @rest.outcome
          outcome.now = Time.now
          outcome.root = @root
          outcome.store_root = @store.root
          files = @rest.state.files(outcome).transform_values { |text| TextFile.new(text) }
          Place::Entries.new(@context, Place::Folders.new(@root, @trash), @trash).call(files)
        end

        def finish
          Memory::Record.new(@root, surroundings: @surroundings, sources: @image.sources, **@rest.record).save(@store)
          Report.new.tap do |report|
            report.root = @root
            @rest.report.each { |name, value| report.public_send("#{name}=", value) }
          end
        end

        def clean
          @trash.put_back unless @whole
          @trash.empty
        end
      end
    end
  end
end
