# frozen_string_literal: true

require "store/store_case"

module Spate
  class Store
    # Several processes in one store, and killed processes. A package with a manifest must be complete in all cases.
    class ProcessesTest < StoreCase
      KILLS = Integer(ENV.fetch("SPATE_TEST_KILLS", "5"), 10)

      def setup
        files = Array.new(150) { |index| ["lib/big/file#{index}.rb", "number #{index}\n" * (index + 1)] }.to_h
        @archives = Array.new(3) { |index| gem_file("big#{index}", "1.0", files.merge("lib/own.rb" => "#{index}\n")) }
      end

      def test_killed_writers
        landed = 0
        KILLS.times do
          child = fork { endless_writer }
          sleep rand * 0.15
          Process.kill(:KILL, child)
          Process.wait(child)
          landed += packages.size
          assert_whole
        end
        @archives.each { |archive| assert store.package(add(archive)) }
        assert_whole
        assert_operator Dir.children(store.path("packages")).size, :>=, 3, "writers landed #{landed}"
      end

      def test_writers_side_by_side
        children = Array.new(4) do
          fork do
            @store = open_store
            @archives.shuffle.each { |archive| add(archive) }
            exit!(0)
          end
        end
        statuses = children.map { |child| Process.wait2(child).last }
        assert statuses.all?(&:success?), statuses.inspect
        assert_equal 3, packages.size
        assert_whole
        assert_empty Dir.children(store.path("tmp"))
      end

      def test_healers_side_by_side
        sha256 = add(@archives.first)
        bundles = %w[one two].map { |name| project(name, { "big0-1.0" => sha256 }) }
        4.times do |round|
          edit_in_place(file(bundles.first, "gems/big0-1.0/lib/own.rb"), "edit #{round}\n")
          children = bundles.map do |bundle|
            fork do
              @store = open_store
              edits = Edits.new(store, bundle)
              found = edits.call(Native.check_trees(bundle.jobs(store), 1))
              store.renew(edits.stale)
              exit!(found.size == 1 ? 0 : 1)
            end
          end
          children.each { |child| assert_predicate Process.wait2(child).last, :success? }
          assert_empty store.native.verify_manifest(store.package(sha256))
          texts = bundles.map { |bundle| File.read(file(bundle, "gems/big0-1.0/lib/own.rb")) }
          assert_equal ["edit #{round}\n"] * 2, texts
          bundles.each { |bundle| relink(bundle, sha256) }
        end
      end

      def test_pruning_beside_writers
        child = fork { endless_writer }
        20.times do
          Prune.new(store, older_than: 0).call
          sleep 0.005
        end
        Process.kill(:KILL, child)
        Process.wait(child)
        assert_whole
      end

      private

      def packages = Dir.glob(store.path("packages/*")).grep(/\h{64}\z/)

      def assert_whole
        packages.each do |path|
          manifest = store.native.manifest(path)
          assert_equal 151, manifest.count
          assert_empty store.native.verify_manifest(manifest)
        end
      end

      def endless_writer
        @store = open_store
        loop do
          @archives.each { |archive| store.lock("store", shared: true) { add(archive) } }
          FileUtils.rm_f(packages.sample) if rand < 0.5
        end
      end

      def relink(bundle, sha256)
        FileUtils.rm_rf(file(bundle, "gems/big0-1.0"))
        job = [file(bundle, "gems/big0-1.0"), [store.package(sha256)], :hard]
        assert_predicate store.native.link([job]).first, :ok?
      end
    end
  end
end
