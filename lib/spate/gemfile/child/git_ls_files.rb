# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # `git ls-files` in a gemspec, run by an untraced process: its list decides neither the bundle's contents nor its
      # load path, but only programs, which are in few folders.
      class GitLsFiles
        # Contains nothing for a shell to expand, except patterns and a redirection of errors.
        COMMAND = %r{\Agit (?:-C \S+ |-c \S+ )*ls-files(?: [\w./=*{},:!'"-]+)*(?: 2> ?/dev/null)?\s*\z}
        EXECUTABLES = "{bin,exe,libexec}/*"

        # socket: the tracer's, which the other process must not keep open. aside: of its own tracer, or nil.
        def self.start(socket, aside)
          questions, ask = IO.pipe(binmode: true)
          answer, answers = IO.pipe(binmode: true)
          child = fork do
            # Not a child of this process, which may wait for any child.
            exit!(0) if fork
            [ask, answer, IO.for_fd(3), IO.for_fd(socket)].each(&:close)
            [$stdout, $stderr].each { |stream| stream.reopen(File::NULL) }
            Native::Tracer.enter(aside) if aside
            serve(questions, answers)
            exit!(0)
          end
          Process.wait(child)
          [questions, answers, (IO.for_fd(aside) if aside)].compact.each(&:close)
          new(ask, answer)
        end

        def self.serve(questions, answers)
          loop do
            command, environment, folder = Marshal.load(questions) # rubocop:disable Security/MarshalLoad -- our own
            # A single word is for a shell.
            command = command.one? ? command.first : command
            Marshal.dump(IO.popen(environment, command, chdir: folder, unsetenv_others: true, &:read), answers)
          rescue SystemCallError
            Marshal.dump(nil, answers)
          end
        rescue EOFError
          nil
        end
        private_class_method :serve

        def initialize(ask, answer)
          @ask = ask
          @answer = answer
        end

        # The command's output (String), nil if it is not such a command or does not run: then the caller runs it,
        # traced. words: one for a shell, or several.
        def ask(words, options)
          return unless COMMAND.match?(words.join(" ")) && (options.keys - %i[chdir err]).empty?

          environment = ENV.to_h.except("LD_PRELOAD", "SPATE_TRACER")
          Marshal.dump([words, environment, File.expand_path(options.fetch(:chdir, "."))], @ask)
          @ask.flush
          Marshal.load(@answer)&.force_encoding(Encoding.default_external) # rubocop:disable Security/MarshalLoad -- our own
        end
      end
    end
  end
end
