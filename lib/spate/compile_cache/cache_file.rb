# frozen_string_literal: true

module Spate
  module CompileCache
    # A compile cache file, which need not exist, with the facts that builders need.
    class CacheFile
      # Parses lines of `key<TAB>value` to a Hash.
      def self.lines(text)
        text.to_s.dup.force_encoding(Encoding::UTF_8).each_line(chomp: true).to_h { |line| line.split("\t", 2) }
      end

      # Formats the data "about" of a compile cache: its kind and subject, the time, and the version of Spate. signers:
      # see #signers.
      def self.describe(kind, signers: [], **facts)
        facts = { kind: kind, **facts, made: Time.now.to_i, spate: VERSION }.compact
        facts[:signers] = signers.uniq.map { |signer| signer.join(" ") }.sort.join(",") if signers.any?
        facts.map { |key, value| "#{key}\t#{value}\n" }.join
      end

      # reason: why the cache cannot be used (Symbol), or nil.
      attr_reader :path, :cache, :reason

      # trusts: a callable (key id, Unix time) that returns whether to use code signed by that key, or nil to open any
      # cache for inspection.
      def initialize(path, ruby_key, trusts: nil)
        @path = path
        @cache = Native::CompileCache.open(path, key: ruby_key)
        return if trusts.nil? || signers.all? { |signer| trusts.call(*signer) }

        @cache = nil
        @reason = :signer
      rescue Native::CompileCache::Unusable => e
        @reason = e.reason
      end

      def usable? = !@cache.nil?
      # Whether it is usable and undamaged. Reads all blobs (1 ms for 24 MB).
      def intact? = usable? && damaged.empty?
      def data(name) = @cache&.data(name)
      def paths = @cache ? @cache.paths : []

      # Whether the compile cache contains the current version of the file.
      def fits?(path)
        state = @cache&.state(path)
        !state.nil? && !damaged.include?(path) && Native.judge(path, state).first == :hit
      end

      # The signers of its blobs: [[key id, Unix time]].
      def signers
        about["signers"].to_s.split(",").map { |pair| pair.split.then { |id, made| [id.to_s, made.to_i] } }
      end

      # {"kind" => "boot", "root" => ...}
      def about = CacheFile.lines(data("about"))

      # {gem folder => path of its compile cache}
      def gem_caches = @gem_caches ||= CacheFile.lines(data("bundles"))

      private

      def damaged = @damaged ||= @cache.verify
    end

    # Compile caches of an application that contain code of a signer that the application does not trust.
    module Distrusted
      # Removes them. The application boots without compile caches until a builder has built new ones. trusts: see
      # CacheFile. Returns whether any were removed.
      def self.remove(caches, location, trusts)
        [caches.application_path(location), caches.overlay_path(location)].select do |path|
          CacheFile.new(path, caches.ruby_key, trusts: trusts).reason == :signer && Util::Files.remove(path)
        end.any?
      end
    end
  end
end
