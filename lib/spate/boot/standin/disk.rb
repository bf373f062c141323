# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # Many Inputs in few objects, for they are looked through at every boot: paths, types, stamps in one String, and
      # what is needed only where a stamp differs.
      class Disk
        MISSING = [-1, -1, -1].freeze

        # inputs: as Input.read answers them. A Hash of plain values.
        def self.pack(inputs)
          folders = inputs.filter_map { |type, path| path if type == :gems }
          below, others = inputs.partition { |type, path| type == :kind && folders.include?(File.dirname(path)) }
          always, others = others.partition { |type,| Input::ALWAYS.include?(type) }
          flat(others + always).merge(below: Marshal.dump(below.group_by { |_, path| File.dirname(path) }
                                                              .transform_values { |covered| flat(covered) }))
        end

        def self.flat(inputs)
          { paths: inputs.map { |input| input[1] }.join("\0"), types: inputs.map(&:first),
            stamps: inputs.flat_map { |input| input[2] || MISSING }.pack("q<*"),
            found: Marshal.dump(inputs.map { |input| input.drop(3) }) }
        end
        private_class_method :flat

        def initialize(packed)
          @packed = packed
          @revalidated = 0
          @paths = packed[:paths].split("\0")
          @types = packed[:types]
          @stamps = packed[:stamps].unpack("q<*")
        end

        # How many had another stamp and the same content.
        attr_reader :revalidated

        # The first thing that changed (String), nil where nothing did.
        def change
          @paths.each_with_index do |path, index|
            type = @types[index]
            next if !Input::ALWAYS.include?(type) && same_stamp?(path, index * 3)

            change = type == :gems ? below(path) : look_closely(type, path, index)
            return change if change
          end
          nil
        end

        private

        def same_stamp?(path, at)
          now = Native.stat(path) or return @stamps[at] == -1

          now[0] == @stamps[at] && now[1] == @stamps[at + 1] && now[2] == @stamps[at + 2]
        end

        def below(folder)
          @below ||= read(@packed[:below])
          packed = @below[folder]
          packed && Disk.new(packed).change
        end

        def look_closely(type, path, index)
          @found ||= read(@packed[:found])
          stamp = @stamps[index * 3, 3]
          @revalidated += 1 unless Input::ALWAYS.include?(type)
          Input.change(type, path, (stamp unless stamp == MISSING), *@found[index])
        end

        def read(text) = Marshal.load(text) # rubocop:disable Security/MarshalLoad -- see Record
      end
    end
  end
end
