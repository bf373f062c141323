# frozen_string_literal: true

require "images/image_case"

module Spate
  module Images
    # Code compiled by another signer is copied from image to image together with its signer.
    class OverlayTest < ImageCase
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
        assert_equal [@file], image(overlay_path).paths
        assert_equal [SIGNER], ImageFile.new(overlay_path, key).signers

        @trusted = false
        build_with(gems: [gem_files(@alpha)], recorded: [@file])
        assert_equal "alpha", load_files(@file).first
        assert_empty ImageFile.new(overlay_path, key).signers
      end

      private

      def build_with(shared: nil, **facts)
        FileUtils.mkdir_p(location.root)
        Builder.new(images: images, jobs: 1, trusts: ->(*) { @trusted }, shared: shared)
               .build(location: location, **facts)
      end

      # An image that has other code for the file's content.
      def foreign(dirs)
        path = "#{folder}/foreign.image"
        state = Compiler::SourceFile.of(@file).state(0)
        blob = RubyVM::InstructionSequence.compile("puts 'foreign'", @file, @file).to_binary
        Native::Image.write(path, key: key, files: [[@file, state, blob]], data: {})
        Shared::Found.new(path, dirs, SIGNER)
      end
    end
  end
end
