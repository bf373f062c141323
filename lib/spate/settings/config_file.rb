# frozen_string_literal: true

module Spate
  class Settings
    # Reads Bundler's config files. They use the subset of YAML that Bundler's YAMLSerializer supports: keys with quoted
    # or plain strings, or with one list or mapping. A "#" after a value is part of the value up to about Bundler 2.4,
    # and starts a comment in later versions. The installed Bundler determines which rule is used.
    module ConfigFile
      LIST = /^ *- (['"]?)(.*)\1$/
      VALUE_WITH_SIGN = /^[^#\n]+:[^#\n]+#|^ *- [^#\n]+#/
      PAIR = /^( *)([^#]+):(?=\s|$) ?(['"]?)(.*)\3$/

      # The settings in a file: {key (`BUNDLE_PATH`) => String, Array or Hash}. Empty if the file does not exist.
      def self.settings(path, env: ENV)
        return {} unless path && File.exist?(path)

        text = begin
          File.read(path, encoding: Encoding::UTF_8).scrub
        rescue Errno::ENOENT, Errno::ENOTDIR
          return {}
        rescue SystemCallError => e
          raise Unreadable.new(path, e)
        end
        pairs = parse(text, comments: comments?(text, env))
        pairs.reject { |key, _| key.start_with?("#") }.transform_keys { |key| key(key) }
      end

      # Whether this machine's Bundler supports comments after values, so that both read the same settings. Reads
      # Bundler's source. This is rarely needed, since Bundler never writes such a value.
      def self.comments?(text, env)
        return true unless text.match?(VALUE_WITH_SIGN)

        lib = Layout::Rubygems.current(env: env).bundler_lib
        lib.nil? || File.read("#{lib}/bundler/yaml_serializer.rb").include?("strip_comment")
      rescue SystemCallError
        true
      end
      private_class_method :comments?

      # Parses text to a Hash like Bundler's YAMLSerializer.
      def self.parse(text, comments: true)
        result = {}
        stack = [result]
        owner = list_key = nil
        text.split(/\r?\n/) do |line|
          if (match = PAIR.match(line))
            owner, list_key = pair(stack, match, owner, list_key, comments)
          elsif (match = LIST.match(line)) && owner
            owner[list_key] = [] unless owner[list_key].is_a?(Array)
            owner[list_key] << (comments ? uncommented(match[2]) : match[2])
          end
        end
        result
      end

      # Adds a pair to the mapping at its depth. Returns the mapping and the key for list items that follow.
      def self.pair(stack, match, owner, list_key, comments)
        depth = match[1].size / 2
        target = stack[depth] or return [owner, list_key]

        value = comments ? uncommented(match[4]) : match[4]
        if match[3].empty? && value.empty?
          stack[depth + 1] = target[match[2]] = {}
          return [target, match[2]]
        end
        target[match[2]] = value == "[]" ? [] : value
        [owner, list_key]
      end
      private_class_method :pair

      def self.uncommented(value)
        value.include?("#") && !value.start_with?("#") ? value.split("#", 2).first.strip : value
      end
      private_class_method :uncommented

      # Normalizes keys of older Bundler versions, which may contain dots, dashes, or a URI without a trailing slash.
      def self.key(key)
        key = "#{key}/" if key.match?(/https?:/i) && !key.end_with?("/", "__FALLBACK_TIMEOUT")
        key.gsub(".", "__").gsub("-", "___")
      end
      private_class_method :key
    end
  end
end
