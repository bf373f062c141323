# frozen_string_literal: true

module Spate
  module Boot
    # Caches the results of Psych.load_file and Psych.unsafe_load_file in Marshal format, which loads ten times as fast.
    # The calls may use only the options symbolize_names and freeze. Only values of plain classes are cached: nil, true,
    # false, Integer, Float, String, Symbol, Array, Hash. The two methods have separate entries, so a file that
    # load_file rejects is always rejected.
    #
    # The values are stored in a separate compile cache beside the application's, with one entry for each file, method
    # and version of Psych. Entries are checked like compiled files. A patched Psych disables the cache.
    module YamlCache
      autoload :PlainData, "#{FOLDER}/yaml_cache/checks"
      autoload :Storage, "#{FOLDER}/yaml_cache/storage"
      autoload :Unpatched, "#{FOLDER}/yaml_cache/checks"

      # Prepended to Psych's singleton class.
      module Methods
        def load_file(path, **options)
          YamlCache.fetch(:load_file, path, options) { super }
        end

        def unsafe_load_file(path, **options)
          YamlCache.fetch(:unsafe_load_file, path, options) { super }
        end
      end

      OPTIONS = %i[symbolize_names freeze].freeze
      # Supported values of Encoding.default_internal. Psych transcodes strings to others, Marshal does not.
      INTERNAL = [nil, Encoding::UTF_8].freeze

      class << self
        # Installs the cache as soon as Psych is loaded.
        def arm(session)
          return "no cache folder" unless session.caches

          @storage = Storage.new(session)
          BootEnd.watch { install }
          true
        end

        def fetch(method, path, options)
          key = key(method, path, options) or return yield
          found, value = @storage.read(key, options)
          return value if found

          before = @storage.stat(key)
          yield.tap { |loaded| @storage.keep(key, before, loaded) }
        end

        # Writes new values to disk.
        def flush = @storage&.write

        private

        # Called for each loaded file until Psych::VERSION is defined. Psych 3 has no safe load_file.
        def install
          return unless defined?(::Psych::VERSION)
          return true if ::Psych::VERSION.to_i < 4

          ::Psych.singleton_class.prepend(Methods)
          true
        end

        # "load_file,freeze,4.0.4,0.2.5:/app/config/x.yml"; nil for calls that Psych handles itself.
        def key(method, path, options)
          return unless INTERNAL.include?(Encoding.default_internal) && (options.keys - OPTIONS).empty?
          return unless options.all? { |_, value| value == true || value == false }

          path = path.to_path if path.respond_to?(:to_path)
          return unless path.is_a?(String) && (@unpatched ||= Unpatched.new).call

          chosen = OPTIONS.select { |name| options[name] }
          "#{[method, *chosen, ::Psych::VERSION, ::Psych::LIBYAML_VERSION].join(",")}:#{File.realpath(path)}"
        rescue SystemCallError, NameError
          nil # no such file, or a method of Psych is gone
        end
      end
    end
  end
end
