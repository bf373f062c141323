# frozen_string_literal: true

require "compile_cache/compile_cache_case"

module Spate
  module CompileCache
    # Code that another signer compiled is copied to a new compile cache together with its signer.
    class OverlayTest < CompileCacheCase
      SIGNER = ["0" * 32, 1_700_000_000].freeze

      def setup
        @alpha = gem_with("alpha-1.0", "lib/alpha.rb" => "puts 'alpha'\n")
        @file = "#{@alpha}/lib/alpha.rb"
        @trusted = true
      end

      def test_code_of_a_signer_that_is_no_longer_trusted_is_dropped
        build_with(gems: [gem_files(@alpha)], recorded: [@file], shared: ->(dirs) { foreign(dirs) })
        assert_equal "foreign", load_files(@file).first
        File.utime(Time.now - 9, Time.now - 9, @file)
        build_with(recorded: [@file])
        assert_equal [@file], cache(overlay_path).paths
        assert_equal [SIGNER], CacheFile.new(overlay_path, key).signers

        @trusted = false
        build_with(gems: [gem_files(@alpha)], recorded: [@file])
        assert_equal "alpha", load_files(@file).first
        assert_empty CacheFile.new(overlay_path, key).signers
      end

      private

      def build_with(shared: nil, **facts)
        FileUtils.mkdir_p(location.root)
        Builder.new(caches: caches, jobs: 1, trusts: ->(*) { @trusted }, shared: shared)
               .build(location: location, **facts)
      end

      # A compile cache with different code for the file's content.
      def foreign(dirs)
        path = "#{folder}/foreign.compiled"
        state = Compiler::SourceFile.of(@file).state(0)
        blob = RubyVM::InstructionSequence.compile("puts 'foreign'", @file, @file).to_binary
        Native::CompileCache.write(path, key: key, files: [[@file, state, blob]], data: {})
        Shared::Found.new(path, dirs, SIGNER)
      end
    end
  end
end
