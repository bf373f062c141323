# frozen_string_literal: true

module Spate
  class Settings
    # Bundler's config file: the small piece of YAML that Bundler itself writes and reads (its YAMLSerializer): keys,
    # quoted or plain strings, one list or mapping below a key.
    module ConfigFile
      LIST = /^ *- (['"]?)(.*)\1$/
      PAIR = /^( *)([^#]+):(?=\s|$) ?(['"]?)(.*)\3$/

      # The settings of a file, key (`BUNDLE_PATH`) to String, Array or Hash; empty where it does not exist.
      def self.settings(path)
        return {} unless path

        text = begin
          File.read(path, encoding: Encoding::UTF_8)
        rescue Errno::ENOENT, Errno::ENOTDIR
          return {}
        rescue SystemCallError => e
          raise Unreadable.new(path, e)
        end
        parse(text).each_with_object({}) { |(key, value), found| found[key(key)] = value unless key.start_with?("#") }
      end

      # Text to Hash, as the YAMLSerializer of the newest Bundler reads it.
      def self.parse(text)
        result = {}
        stack = [result]
        owner = list_key = nil
        text.scrub.split(/\r?\n/) do |line|
          if (match = PAIR.match(line))
            owner, list_key = pair(stack, match, owner, list_key)
          elsif (match = LIST.match(line)) && owner
            owner[list_key] = [] unless owner[list_key].is_a?(Array)
            owner[list_key] << uncommented(match[2])
          end
        end
        result
      end

      # Puts one pair into the mapping of its depth; answers which mapping and key a list would continue.
      def self.pair(stack, match, owner, list_key)
        depth = match[1].size / 2
        target = stack[depth] or return [owner, list_key]

        value = uncommented(match[4])
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

      # Keys as older Bundlers wrote them: a URI without its slash, dots, dashes.
      def self.key(key)
        key = "#{key}/" if key.match?(/https?:/i) && !key.end_with?("/", "__FALLBACK_TIMEOUT")
        key.gsub(".", "__").gsub("-", "___")
      end
      private_class_method :key
    end
  end
end
