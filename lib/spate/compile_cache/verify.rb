# frozen_string_literal: true

module Spate
  module CompileCache
    # Reads every compile cache of a store, of all Rubies, and lists damaged ones.
    class Verify
      # path: path of the compile cache. reason: why it cannot be used (Symbol), or :damaged if only some blobs or data
      # are damaged. files: files whose code is damaged, and names of damaged data.
      Damage = Struct.new(:path, :reason, :files)
      # compile_caches, files, bytes: amounts read. damaged: [Damage]
      Result = Struct.new(:compile_caches, :files, :bytes, :damaged) do
        def ok? = damaged.empty?
        def to_h = super.merge(ok: ok?, damaged: damaged.map(&:to_h))
      end

      def initialize(store_root)
        @folder = "#{store_root}/compile-cache"
      end

      def call
        result = Result.new(0, 0, 0, [])
        keyed.each { |path, key| read(result, path, key) }
        result
      end

      private

      # [[path, key]]. The key is the name of the Ruby's folder or, for Spate's code, the name of the file.
      def keyed
        Dir.glob("#{@folder}/*/**/*.compiled").sort.filter_map do |path|
          inside = path.delete_prefix("#{@folder}/")
          key = inside[%r{\A(\h{32})/(?:gems|boots|apps)/}, 1] || inside[%r{\Aown/(\h{32})\.compiled\z}, 1]
          [path, key] if key
        end
      end

      def read(result, path, key)
        cache = Native::CompileCache.open(path, key: key)
        result.compile_caches += 1
        result.files += cache.count
        result.bytes += cache.bytes
        damaged = cache.verify + cache.data_names.reject { |name| cache.data(name) }
        result.damaged << Damage.new(path, :damaged, damaged) if damaged.any?
      rescue Native::CompileCache::Unusable => e
        result.damaged << Damage.new(path, e.reason, []) unless e.reason == :missing
      end
    end
  end
end
