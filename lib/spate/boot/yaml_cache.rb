# frozen_string_literal: true

module Spate
  module Boot
    # What YAML files hold, as Marshal reads it: ten times as fast. Psych.load_file and Psych.unsafe_load_file, with no
    # options but symbolize_names and freeze. Kept only where the answer is of plain classes: nil, true, false, Integer,
    # Float, String, Symbol, Array, Hash. Answers of the safe and of the unsafe method are kept apart, so a file that
    # safe loading refuses is refused every time.
    #
    # The answers lie in an image of their own beside the application's, an entry a file, way to load it and version of
    # Psych, checked as compiled files are. Where Psych is patched, Psych answers.
    module YamlCache
      autoload :Answers, "#{FOLDER}/yaml_cache/answers"
      autoload :Genuine, "#{FOLDER}/yaml_cache/genuine"
      autoload :Plain, "#{FOLDER}/yaml_cache/plain"

      # In front of Psych's own methods.
      module Methods
        def load_file(path, **options)
          YamlCache.fetch(:load_file, path, options) { super }
        end

        def unsafe_load_file(path, **options)
          YamlCache.fetch(:unsafe_load_file, path, options) { super }
        end
      end

      OPTIONS = %i[symbolize_names freeze].freeze
      # Psych transcodes to it, Marshal does not.
      INTERNAL = [nil, Encoding::UTF_8].freeze

      class << self
        # Waits until Psych is there.
        def arm(session)
          return "no cache folder" unless session.images

          @answers = Answers.new(session)
          BootEnd.watch { install }
          true
        end

        def fetch(method, path, options)
          key = key(method, path, options) or return yield
          known, answer = @answers.read(key, options)
          return answer if known

          before = @answers.stat(key)
          yield.tap { |loaded| @answers.keep(key, before, loaded) }
        end

        # Keeps on disk what was loaded since.
        def flush = @answers&.write

        private

        # As soon as its version is there, in the middle of its being loaded. Version 3 had no safe load_file.
        def install
          return unless defined?(::Psych::VERSION)
          return true if ::Psych::VERSION.to_i < 4

          ::Psych.singleton_class.prepend(Methods)
          true
        end

        # "load_file,freeze,4.0.4,0.2.5:/app/config/x.yml", nil for what is left to Psych.
        def key(method, path, options)
          return unless INTERNAL.include?(Encoding.default_internal) && (options.keys - OPTIONS).empty?
          return unless options.all? { |_, value| value == true || value == false }

          path = path.to_path if path.respond_to?(:to_path)
          return unless path.is_a?(String) && (@genuine ||= Genuine.new).call

          chosen = OPTIONS.select { |name| options[name] }
          "#{[method, *chosen, ::Psych::VERSION, ::Psych::LIBYAML_VERSION].join(",")}:#{File.realpath(path)}"
        rescue SystemCallError, NameError
          nil # no such file, or a method of Psych's is gone
        end
      end
    end
  end
end
