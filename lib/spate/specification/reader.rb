# frozen_string_literal: true

module Spate
  module Specification
    # Reads metadata, without RubyGems if possible. There is one Reader per run, so that RubyGems is loaded and the
    # dialect is determined at most once. Thread-safe.
    class Reader
      # layout: a Layout, or an object whose method rubygems returns a Layout::Rubygems.
      def initialize(store, layout)
        @store = store
        @layout = layout
        @mutex = Mutex.new
      end

      # Loads RubyGems if it will certainly be needed.
      def warm_up
        rubygems if dialect.nil?
      end

      # Returns a PlainMetadata, or a RubygemsMetadata for an unusual gem. Raises PackageMismatchError, WrongRubyError.
      def read(yaml, package)
        known = dialect
        plain = PlainMetadata.read(yaml, package, known) if known
        return plain if plain

        rubygems
        RubygemsMetadata.read(yaml, package).tap(&:ensure_runs_here)
      end

      # Like #read, for an archive in the store. Always loads RubyGems.
      def read_archive(path, package)
        rubygems
        read(RubygemsMetadata.yaml_of(path), package)
      end

      # A folder for the first lines of executables, one per run. RubygemsMetadata uses it only under a lock.
      def scratch = @mutex.synchronize { @scratch ||= @store.temporary("texts") }

      # Removes the scratch folder.
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

      # Loads RubyGems. The thread must not be killed meanwhile, since RubyGems would report an interrupted `require` as
      # an error.
      def rubygems
        folder = scratch
        Thread.handle_interrupt(Object => :never) do
          Util::Openssl.load
          @mutex.synchronize do
            Specification.const_get(:RubygemsMetadata)
            @dialect = Dialect.learn(@store, @layout.rubygems.key, folder) if @dialect.nil?
          end
        end
      end
    end
  end
end
