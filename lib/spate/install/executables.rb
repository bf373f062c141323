# frozen_string_literal: true

module Spate
  module Install
    # RubyGems makes the executables of a gem executable, whatever mode the archive has for them. An object's mode is
    # part of its name, so such a file becomes another object.
    class Executables
      BITS = 0o111

      # tree: the folder with the package's files, or nil.
      def initialize(context, facts, tree)
        @native = context.native
        @store = context.store
        @facts = facts
        @tree = tree
      end

      def call(unpacked)
        return if @facts.executables.empty?

        paths = unpacked.paths
        @facts.executables.each do |name|
          index = paths.index(@facts.executable(name)) or next
          entry = unpacked.entry(index)
          change(unpacked, index, entry) if entry[:type] == :file && entry[:mode] & BITS != BITS
        end
      end

      private

      def change(unpacked, index, entry)
        temporary = @store.temporary("executable")
        File.binwrite(temporary, File.binread(@native.object_path(entry[:sha256], entry[:mode])))
        File.chmod(entry[:mode] | BITS, temporary)
        adopted = @native.adopt(temporary)
        unpacked.change_mode(index, adopted[:mode], adopted[:mtime_ns])
        replace(entry[:path], adopted) if @tree
      ensure
        File.unlink(temporary) if temporary && File.exist?(temporary)
      end

      def replace(path, adopted)
        target = "#{@tree}/#{path}"
        File.unlink(target) # perhaps the store's own
        IO.copy_stream(@native.object_path(adopted[:sha256], adopted[:mode]), target)
        File.chmod(adopted[:mode], target)
        time = Time.at(0, adopted[:mtime_ns], :nsec)
        File.utime(time, time, target)
      end
    end
  end
end
