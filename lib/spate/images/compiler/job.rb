# frozen_string_literal: true

module Spate
  module Images
    class Compiler
      # An image to be made.
      #
      # path:: of the image
      # key:: of the Ruby, 32 hex digits
      # files:: paths, in the image's order
      # data:: name to bytes
      # sources:: paths of images from which blobs of unchanged files are copied
      # weight:: bytes of source, roughly; the largest goes first
      # required:: whether it is written even without files
      Job = Struct.new(:path, :key, :files, :data, :sources, :weight, :required, keyword_init: true) do
        def initialize(data: {}, sources: [], weight: 0, required: false, **) = super
      end

      # The outcome of a job. compiled, copied, warned (files that make Ruby warn), failed (files that Ruby cannot
      # compile): counts; bytes: of the image; error: [class name, message] or nil.
      Result = Struct.new(:path, :compiled, :copied, :warned, :failed, :bytes, :error, keyword_init: true) do
        def initialize(compiled: 0, copied: 0, warned: 0, failed: 0, bytes: 0, error: nil, **) = super

        def ok? = error.nil?
        # No space on the disk (or none for this user): the next image would fail, too.
        def full? = !ok? && error.first.match?(/ENOSPC|EDQUOT|EROFS|EACCES/)
      end
    end
  end
end
