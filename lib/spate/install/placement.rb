# frozen_string_literal: true

module Spate
  module Install
    # Puts single files where they belong, whole or not at all. The temporary file's name is always the same one: only
    # one install at a time writes into a bundle, and what a killed one left is taken over by the next.
    module Placement
      # Attempts to make a folder while others remove the ones above it; some folders, as /proc, take none at all.
      TRIES = 3

      module_function

      # A link of `source` at `target`, or a copy where the file system has no such links.
      def file(source, target, copy: false)
        raise Errno::EXDEV if copy

        File.link(source, target)
      rescue Errno::EEXIST
        target
      rescue Errno::EXDEV, Errno::EPERM, Errno::EMLINK, Errno::ENOTSUP
        copy(source, target)
      end

      def copy(source, target, temporary: "#{target}.tmp")
        IO.copy_stream(source, temporary)
        File.rename(temporary, target)
      ensure
        File.unlink(temporary) if File.exist?(temporary)
      end

      # text at path, through a temporary file beside it.
      def text(path, text, mode: nil)
        temporary = "#{path}.tmp"
        File.open(temporary, File::WRONLY | File::CREAT | File::TRUNC | File::BINARY) do |file|
          file.chmod(mode) if mode
          file.write(text)
        end
        File.rename(temporary, path)
        temporary = nil
      ensure
        File.unlink(temporary) if temporary && File.exist?(temporary)
      end

      def folder(path)
        Dir.mkdir(path)
        path
      rescue Errno::EEXIST
        path
      rescue Errno::ENOENT
        above = folder(File.dirname(path))
        # A link into nothing exists, and is no folder.
        File.directory?(above) && (tries = tries.to_i + 1) <= TRIES ? retry : raise
      end
    end
  end
end
