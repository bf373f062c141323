# frozen_string_literal: true

module Spate
  module Install
    module Unpack
      # Finds the executables of a gem, which its metadata lists, in the package's files.
      class Executables
        FIRST_LINE = 512 # maximum bytes of an executable's first line that affect its wrapper

        def initialize(context, facts)
          @native = context.native
          @store = context.store
          @facts = facts
        end

        # See ExecutableBits.
        def mark(unpacked, tree)
          ExecutableBits.mark(@store, unpacked, entries(unpacked).each_value.filter_map { |index,| index }, tree)
        end

        # {executable => its first line, or nil if the package does not contain it}. files: Native::Unpacked or
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
      end
    end
  end
end
