# frozen_string_literal: true

module Spate
  module Build
    # Arguments that the setting build.NAME gives to a gem's build, and the file in which RubyGems remembers them.
    module Arguments
      module_function

      # flags: what the settings say: a String, split as a shell would, an Array, or nil.
      def parse(flags)
        return Array(flags).map(&:to_s) unless flags.is_a?(String)

        require "shellwords"
        Shellwords.shellsplit(flags)
      end

      # Writes build_info/<full_name>.info, one argument a line; nothing without arguments. Answers its path or nil.
      def write(folder, full_name, arguments)
        return if arguments.empty?

        Dir.mkdir(folder) unless File.directory?(folder)
        path = File.join(folder, "#{full_name}.info")
        File.write(path, arguments.map { |argument| "#{argument}\n" }.join)
        path
      rescue Errno::EEXIST
        retry
      end
    end
  end
end
