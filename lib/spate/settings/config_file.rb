# frozen_string_literal: true

module Spate
  class Settings
    # Bundler's config file: the subset of YAML that Bundler itself writes and reads (its YAMLSerializer): keys, quoted
    # or plain strings, one list or mapping below a key. Up to about Bundler 2.4 a "#" is part of a value, later it
    # starts a comment: determined from the installed Bundler.
    module ConfigFile
      LIST = /^ *- (['"]?)(.*)\1$/
      VALUE_WITH_SIGN = /^[^#\n]+:[^#\n]+#|^ *- [^#\n]+#/
      PAIR = /^( *)([^#]+):(?=\s|$) ?(['"]?)(.*)\3$/

      # The settings of a file, key (`BUNDLE_PATH`) to String, Array or Hash; empty if it does not exist.
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

      # Whether this machine's Bundler, which must find the same bundle, supports comments after values. Reads Bundler's
      # source, which is rarely needed because Bundler never writes such a value.
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

      # Adds a pair to the mapping at its depth; returns the mapping and key for following list items.
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

      # Normalizes keys written by older Bundlers: a URI without its slash, dots, dashes.
      def self.key(key)
        key = "#{key}/" if key.match?(/https?:/i) && !key.end_with?("/", "__FALLBACK_TIMEOUT")
        key.gsub(".", "__").gsub("-", "___")
      end
      private_class_method :key
    end
  end
end
