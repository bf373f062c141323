# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Starts a warm parent in the background after a command has booted without one, if warm boots are enabled for it.
      class Offer
        SCRIPT = "#{LIBRARY}/spate/cli/warm/script.rb".freeze
        LAUNCHER = "spate-ruby"

        DEPTHS = %w[application framework].freeze
        # Seconds between two attempts of commands that were forked from a framework parent.
        PAUSE = 60

        class << self
          # Called in the command's process. root: the application's root. env: the environment that the command was
          # started with. depths: of the parents to try, in this order. Never raises.
          def start(words, root, env, launcher: File.expand_path($PROGRAM_NAME), depths: DEPTHS)
            return unless File.basename(launcher) == LAUNCHER && Dir.pwd == root && !words.first.include?("\n")

            variables = env.map { |pair| pair.map(&:b).join("=") }
            place = Native::Warm.place(words, variables, root) or return
            folders = Background::RubyOptions.load_path.flat_map { |path| ["-I", path] }
            command = [::Spate::Util::Ruby.path, "--disable-gems", *folders, SCRIPT, launcher, root, *place,
                       depths.join(","), Time.now.to_f.to_s, words.first]
            File.open(File::NULL, "w") do |null|
              Native.start_apart(command, variables, null.fileno)
            end
          rescue StandardError, LoadError
            nil # the next command tries again
          end

          # Called in a command that was forked from a framework parent. An application parent may be possible by now.
          def deeper(words, root, env, launcher)
            folder = "#{Boot.session.caches.store_root}/warm"
            name = "#{Native.content_hash(nil, root)}.application-"
            tried = Dir.children(folder).select { |file| file.start_with?(name) && file.end_with?(".attempts") }
            return if tried.any? { |file| recent?("#{folder}/#{file}") }

            start(words, root, env, launcher: launcher, depths: DEPTHS.take(1))
          rescue SystemCallError
            nil # removed in the meantime
          end

          private

          def recent?(attempts)
            (Time.now - File.mtime(attempts)).abs < PAUSE || Background::Attempts.of_parents(attempts).wait.positive?
          end
        end
      end
    end
  end
end
