# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # After the cold boot of a command for which warm boots are on: has a parent made in the background.
      class Offer
        SCRIPT = "#{LIBRARY}/spate/cli/warm/script.rb".freeze
        LAUNCHER = "spate-ruby"

        # Called in the command's own process. root: of the application. env: as the command was started with. Never
        # raises.
        def self.start(words, root, env)
          return unless File.basename($PROGRAM_NAME) == LAUNCHER && Dir.pwd == root

          variables = env.map { |pair| pair.map(&:b).join("=") }
          place = Native::Warm.place(words, variables, root) or return
          folders = Background::RubyOptions.load_path.flat_map { |path| ["-I", path] }
          command = [::Spate::Util::Ruby.path, "--disable-gems", *folders, SCRIPT, File.expand_path($PROGRAM_NAME),
                     root, *place, Time.now.to_f.to_s]
          File.open(File::NULL, "w") do |null|
            Native.start_apart(command, variables, null.fileno)
          end
        rescue StandardError, LoadError
          nil # the next command tries again
        end
      end
    end
  end
end
