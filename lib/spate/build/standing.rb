# frozen_string_literal: true

require_relative "../inputs"

module Spate
  module Build
    # Makes a candidate of a build: its record of inputs, the name that follows from it, and what it needs to run.
    class Standing
      # The name of the build in its store, and why no other bundle uses it, or nil; once kept.
      attr_reader :key, :doubt

      # candidates: Candidates. learned: Learned; nil where nothing was heard. made: Made. roots, told: as Inputs.write
      # has them.
      def initialize(candidates, learned, made, roots, told)
        @candidates = candidates
        @learned = learned
        @made = made
        @roots = roots
        @told = told
        @records = {}
      end

      # Yields the name under which the manifest is to be written. record: Record.
      def keep(record)
        inputs = (write unless (@doubt = @learned&.doubt))
        id = @candidates.name(inputs ? "#{record.root}\n#{inputs}" : Random.urandom(16))
        yield @key = @candidates.key(id)
        @candidates.commit(id, @records) if inputs
      ensure
        @records.each_value { |path| File.unlink(path) if File.exist?(path) }
      end

      private

      # Answers what the record is made of, as text; nil where it is not to be kept.
      def write
        return unless @learned

        processor = @made.names_processor?
        inputs = @learned.inputs(processor: processor)
        refused = put("", inputs) and return doubt_of(refused)
        put(Candidates::NEEDS, needs(processor || inputs.include?([:processor, nil])))
        Inputs.each(@records[""]).map { |kind, root, path, facts| [kind, root, path, facts.except(:stamped)].inspect }
              .join("\n")
      rescue SystemCallError => e
        doubt_of([e.message])
      end

      def put(suffix, inputs)
        path = @records[suffix] = @candidates.temporary
        Inputs.write(path, inputs, @roots, env: @told)
      end

      def doubt_of(refused)
        @doubt = refused.reverse.join(" ")
        nil
      end

      # As the loader looks for them: by the name in the file, where the linker found the library.
      def needs(processor)
        read = @learned.libraries
        folders = read.values.map { |path| File.dirname(path) }.uniq
        paths = @made.needed.filter_map do |name|
          read[name] || folders.map { |folder| "#{folder}/#{name}" }.find { |path| File.file?(path) }
        end
        paths.map { |path| [:library, path] } + (processor ? [[:processor, nil]] : [])
      end
    end
  end
end
