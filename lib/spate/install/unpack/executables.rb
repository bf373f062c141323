# frozen_string_literal: true

module Spate
  module Install
    module Unpack
      # The executables among a package's files, as listed in its facts.
      class Executables
        BITS = 0o111
        FIRST_LINE = 512 # bytes of an executable that can matter to its wrapper

        def initialize(context, facts)
          @native = context.native
          @store = context.store
          @facts = facts
        end

        # Makes them executable, as RubyGems does, regardless of their mode in the archive. An object's mode is part of
        # its name, so such a file becomes another object. unpacked: Native::Unpacked; tree: the folder with the
        # package's files, or nil.
        def mark(unpacked, tree)
          entries(unpacked).each_value do |index, entry|
            next unless entry && entry[:type] == :file && entry[:mode] & BITS != BITS

            adopted = adopt(entry)
            unpacked.change_mode(index, adopted[:mode], adopted[:mtime_ns])
            replace("#{tree}/#{entry[:path]}", adopted) if tree
          end
        end

        # {executable => its first line, or nil if the package lacks the file}. files: Native::Unpacked or
        # Native::Manifest.
        def first_lines(files) = entries(files).transform_values { |_, entry| entry && first_line(entry) }

        private

        # {executable => [index, entry], or nil}
        def entries(files)
          return {} if @facts.executables.empty?

          paths = files.paths
          @facts.executables.to_h do |name|
            index = paths.index(@facts.executable(name))
            [name, index && [index, files.entry(index)]]
          end
        end

        def first_line(entry)
          entry[:type] == :file ? (File.binread(object(entry), FIRST_LINE) || "").lines.first.to_s : ""
        end

        def object(entry) = @native.object_path(entry[:sha256], entry[:mode])

        def adopt(entry)
          temporary = @store.temporary("executable")
          File.binwrite(temporary, File.binread(object(entry)))
          File.chmod(entry[:mode] | BITS, temporary)
          @native.adopt(temporary)
        ensure
          File.unlink(temporary) if temporary && File.exist?(temporary)
        end

        def replace(target, adopted)
          File.unlink(target) # may be a link to the store's object
          Util::Files.copy(object(adopted), target, mode: adopted[:mode], time: Time.at(0, adopted[:mtime_ns], :nsec))
        end
      end
    end
  end
end
