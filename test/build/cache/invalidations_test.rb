# frozen_string_literal: true

require "build/build_case"

module Spate
  class InvalidationsTest < BuildCase
    # Counts the reads of a store.
    class Counting < Store
      def own_build(key) = super.tap { @reads = reads + 1 }
      def reads = @reads.to_i
    end

    def test_copied_store_adds_no_invalidation
      store = Store.open(home: "#{folder}/home", env: {})
      Build::Cache::Invalidations.new([store]).forget("alpha-1.0", "once")
      FileUtils.cp_r("#{folder}/home", "#{folder}/copy")
      stores = [store, Store.open(home: "#{folder}/copy", env: {})]
      assert_equal "once", Build::Cache::Invalidations.new(stores).word("alpha-1.0")
    end

    # `spate pristine` looks up every gem of the lockfile.
    def test_all_gems_of_a_lockfile_are_searched_in_one_read
      store = Counting.new("#{folder}/home", "#{folder}/home/store/v1")
      3.times { |number| write("home/store/v1/builds/#{number}", "") }
      invalidations = Build::Cache::Invalidations.new([store])
      100.times { |number| assert_empty invalidations.matching("gem-#{number}") }
      assert_equal 3, store.reads
    end
  end
end
