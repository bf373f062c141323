# frozen_string_literal: true

module Spate
  module Server
    module Rack
      module Application
        # Raised when the application raised an error while it was loaded. Names the line of the application.
        class LoadFailure < Error
          # path: the path of the config.ru. error: the error of the application.
          def initialize(path, error)
            message = error.message.scrub
            place = place(path, message, error)
            reason = message.lines.first.to_s.chomp.sub(/ for #<.*/, "") # the receiver is Rack's builder
            super("#{place}: #{reason.delete_prefix("#{place}: ")} (#{error.class})",
                  hint: "#{path} raised this while it was loaded: fix it there, and start again")
          end

          private

          # Returns "app/models.rb:3", relative to the current folder. Returns the path of the config.ru when the line
          # is unknown.
          def place(path, message, error)
            lines = [message, *error.backtrace].filter_map { |line| line[/\A([^<].*?:\d+)(?::|$)/, 1] }
            root = "#{File.dirname(File.expand_path(path))}/"
            own = lines.find { |line| File.expand_path(line).start_with?(root) } || lines.first || path
            File.expand_path(own).delete_prefix("#{Dir.pwd}/")
          end
        end
      end
    end
  end
end
