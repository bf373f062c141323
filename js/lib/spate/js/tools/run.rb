# frozen_string_literal: true

require "tmpdir"

module Spate
  module JS
    module Tools
      # Runs a tool while other threads work.
      class Run
        # How many of its last lines an error shows.
        LINES = 20
        # Lines that node prints around an uncaught error.
        TRACE = %r{\A\s*(?:at |\.\.\. \d+ lines|throw |\^|\}|Node\.js v\d|(?:node:|file:|/)\S+:\d+\z)}
        # Seconds between two reads of its output.
        LOOK = 0.1

        # terminal: an IO for its output as it comes, or nil.
        def initialize(tool, events:, reasons: [], terminal: nil)
          @tool = tool
          @events = events
          @reasons = reasons
          @terminal = terminal
        end

        # Returns the seconds it took. Raises ToolMissing, ToolUnusable, ToolFailed, Interrupted.
        def call
          command = @tool.command
          shown = [@tool.name, *@tool.arguments]
          @events.emit(:js_tool_start, tool: @tool.name, command: shown.join(" "), reasons: @reasons)
          started = Util.now
          Dir.mktmpdir("spate-js-") { |folder| run(command, shown, "#{folder}/log") }
          seconds = Util.now - started
          @events.emit(:js_tool_done, tool: @tool.name, seconds: seconds.round(3))
          seconds
        end

        private

        def run(command, shown, log)
          root = @tool.project.root
          variables = Program.new(@tool).variables.merge(Install::FolderLock.variables(File.realpath(root), @tool.env))
          child = Child.new(variables, log, folder: root)
          status = showing(log) { child.run(*command) }
          return if status.success?

          raise failure(shown, status, lines(log))
        end

        # A tool that cannot print its version is unusable: corepack could not download it, or refuses to start it here.
        def failure(shown, status, lines)
          program = Program.new(@tool)
          version = program.version("COREPACK_ENABLE_NETWORK" => "0")
          return ToolFailed.new(@tool, shown, status, lines.last(LINES), version) if version

          ToolUnusable.new(@tool, program.words, lines.grep_v(TRACE).last(LINES))
        end

        # Its output, while it runs.
        def showing(log)
          return yield unless @terminal

          done = false
          thread = Thread.new { follow(log) { done } }
          yield
        ensure
          done = true
          thread&.join
        end

        def follow(log)
          at = 0
          loop do
            last = yield
            text = File.exist?(log) ? File.binread(log, nil, at).to_s : ""
            @terminal.write(text)
            at += text.bytesize
            return if last

            sleep LOOK
          end
        end

        def lines(log)
          Build::Failure::Log.new(File.binread(log)).text.lines(chomp: true).reject { |line| line.strip.empty? }
                             .map { |line| line[0, 300] }
        rescue Errno::ENOENT
          []
        end
      end
    end
  end
end
