# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # Many Inputs in few objects, for they are looked through at every boot: paths, types, stamps in one String, and
      # what is needed only where a stamp proves nothing.
      class Disk
        MISSING = [-1, -1, -1, -1].freeze

        # inputs: as Input.read answers them; seen: nanoseconds since the epoch, before. A Hash of plain values.
        def self.pack(inputs, seen)
          folders = inputs.filter_map { |type, path| path if type == :gems }
          below, others = inputs.partition { |type, path| type == :kind && folders.include?(File.dirname(path)) }
          always, others = others.partition { |type,| Input::ALWAYS.include?(type) }
          folders = below.group_by { |_, path| File.dirname(path) }
          flat(others + always, seen)
            .merge(below: Marshal.dump(folders.transform_values { |covered| flat(covered, seen) }))
        end

        def self.flat(inputs, seen)
          { seen: seen, paths: inputs.map { |input| input[1] }.join("\0"), types: inputs.map(&:first),
            stamps: inputs.flat_map { |input| input[2] || MISSING }.pack("q<*"),
            found: Marshal.dump(inputs.map { |input| input.drop(3) }) }
        end
        private_class_method :flat

        def initialize(packed)
          @packed = packed
          @seen = packed[:seen]
          @revalidated = 0
          @paths = packed[:paths].split("\0")
          @types = packed[:types]
          @stamps = packed[:stamps].unpack("q<*")
        end

        # How many had another stamp and the same content, where stamps mean something.
        attr_reader :revalidated

        # The first thing that changed (String), nil where nothing did.
        def change
          @paths.each_with_index do |path, index|
            type = @types[index]
            doubt = Input::ALWAYS.include?(type) ? :always : doubt(path, index * 4)
            next unless doubt

            @revalidated += 1 unless %i[always unkept].include?(doubt)
            change = type == :gems ? below(path) : look_closely(type, path, index)
            return change if change
          end
          nil
        end

        private

        # nil where nothing can have changed; see Native.doubt.
        def doubt(path, at)
          missing = @stamps[at] == -1
          return (:new if Native.stat(path)) if missing

          Native.doubt(path, @stamps[at], @stamps[at + 1], @stamps[at + 2], @stamps[at + 3], @seen)
        end

        def below(folder)
          @below ||= read(@packed[:below])
          packed = @below[folder]
          packed && Disk.new(packed).change
        end

        def look_closely(type, path, index)
          @found ||= read(@packed[:found])
          Input.change(type, path, @stamps[index * 4] != -1, *@found[index])
        end

        def read(text) = Marshal.load(text) # rubocop:disable Security/MarshalLoad -- see Record
      end
    end
  end
end
