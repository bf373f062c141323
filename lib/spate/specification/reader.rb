# frozen_string_literal: true

module Spate
  module Specification
    # Reads metadata, without RubyGems where that is enough. One for a run: RubyGems is loaded at most once, and the
    # dialect is learnt once. Threads share it.
    class Reader
      # layout: answers rubygems, a Layout::Rubygems.
      def initialize(store, layout)
        @store = store
        @layout = layout
        @mutex = Mutex.new
      end

      # Loads RubyGems where it is certain to be needed.
      def warm_up
        rubygems if dialect.nil?
      end

      # A PlainMetadata, or the RubygemsMetadata of a gem that is unusual in any way. Raises PackageMismatchError,
      # WrongRubyError.
      def read(yaml, package)
        known = dialect
        plain = PlainMetadata.read(yaml, package, known) if known
        return plain if plain

        rubygems
        RubygemsMetadata.read(yaml, package).tap(&:ensure_runs_here)
      end

      # The same of an archive that lies in the store.
      def read_archive(path, package)
        rubygems
        read(RubygemsMetadata.yaml_of(path), package)
      end

      # A folder for the first lines of executables, one for the run; RubygemsMetadata serialises its use.
      def scratch = @mutex.synchronize { @scratch ||= @store.temporary("texts") }

      # Removes that folder.
      def clean
        Store::Sweep.remove(@scratch) if @scratch
        @scratch = nil
      end

      private

      def dialect
        @mutex.synchronize do
          return @dialect if defined?(@dialect)

          @dialect = Dialect.recall(@store, @layout.rubygems.key)
        end
      end

      # Never killed half-way: the `require` of RubyGems takes that for a fault of its own.
      def rubygems
        folder = scratch
        Thread.handle_interrupt(Object => :never) do
          Ground::Openssl.load
          @mutex.synchronize do
            Specification.const_get(:RubygemsMetadata)
            @dialect = Dialect.learn(@store, @layout.rubygems.key, folder) if @dialect.nil?
          end
        end
      end
    end
  end
end
