# frozen_string_literal: true

module Spate
  module Install
    module Unpack
      # Makes files of an unpacked package executable, regardless of their mode in the archive, like RubyGems, npm and
      # pnpm. Adds a new object for each file, since the name of an object includes its mode.
      module ExecutableBits
        BITS = 0o111

        module_function

        # unpacked: Native::Unpacked. indexes: indexes of the files. tree: a folder that also contains the files, or
        # nil.
        def mark(store, unpacked, indexes, tree)
          indexes.each do |index|
            entry = unpacked.entry(index)
            next if entry[:type] != :file || entry[:mode] & BITS == BITS

            adopted = adopt(store, entry, mode: entry[:mode] | BITS)
            unpacked.change_mode(index, adopted[:mode], adopted[:mtime_ns])
            replace("#{tree}/#{entry[:path]}", object(store, adopted), adopted) if tree
          end
        end

        # Adds a file's content to the store as another object. An optional block changes the content. Returns the
        # object's fields of a manifest entry.
        def adopt(store, entry, mode: entry[:mode])
          temporary = store.temporary("executable")
          text = File.binread(object(store, entry))
          File.binwrite(temporary, block_given? ? yield(text) : text)
          File.chmod(mode, temporary)
          store.native.adopt(temporary)
        ensure
          Util::Files.remove(temporary) if temporary
        end

        def object(store, entry) = store.native.object_path(entry[:sha256], entry[:mode])

        def replace(target, object, adopted)
          File.unlink(target) # the path may be a link to the store's object
          Util::Files.copy(object, target, mode: adopted[:mode], time: Time.at(0, adopted[:mtime_ns], :nsec))
        end
        private_class_method :object, :replace
      end
    end
  end
end
