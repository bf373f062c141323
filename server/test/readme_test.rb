# frozen_string_literal: true

require "test_helper"
require "open3"
require "socket"

module Spate
  module Server
    # The examples of the documentation produce the printed output, and its links are valid.
    class ReadmeTest < Minitest::Test
      ROOT = File.expand_path("..", __dir__)
      PAGES = [File.join(ROOT, "README.md"), *Dir[File.join(ROOT, "docs/**/*.md")]].freeze
      SERVER = File.join(ROOT, "exe/spate-serve")
      # Printed after each command, to separate the outputs. Commands in the background are ready by then.
      MARK = "=== next"
      TRY = "begin; TCPSocket.new(%q(127.0.0.1), 8080); exit; rescue; sleep 0.05; end"
      WAIT = "ruby --disable-gems -rsocket -e '200.times { #{TRY} }'".freeze

      def read(path) = File.read(path, encoding: "UTF-8")

      # Returns the blocks after `<!-- run -->`: "$ command", then its output. `...` matches the rest of a line.
      def blocks(text) = text.scan(/^<!-- run -->\n```console\n(.*?)^```$/m).flatten

      def shell(commands, ports)
        program = "#!/bin/sh\nexec '#{RbConfig.ruby}' '#{SERVER}' --port #{ports["8080"]} \"$@\"\n"
        write("bin/spate-serve", program, mode: 0o755)
        script = commands.flat_map { |command| [command, (WAIT if command.end_with?("&")), "echo '#{MARK}'"].compact }
        text = ports.reduce(script.join("\n")) { |all, (from, to)| all.gsub(from, to) }
        env = { "PATH" => "#{folder}/bin:#{ENV.fetch("PATH")}", "XDG_CACHE_HOME" => "#{folder}/cache" }
        place = { chdir: Dir.mktmpdir(nil, folder), err: File::NULL }
        output, = Open3.capture2(env, "timeout", "60", "sh", "-c", text, **place)
        output.force_encoding(Encoding::UTF_8).split("#{MARK}\n")
      end

      def free_ports(*names)
        servers = names.map { TCPServer.new("127.0.0.1", 0) }
        names.zip(servers.map { |server| server.local_address.ip_port.to_s }).to_h
      ensure
        servers.each(&:close)
      end

      PAGES.each do |path|
        name = path.delete_prefix("#{ROOT}/")
        define_method("test_the_examples_of_#{name}") do
          blocks(read(path)).each do |block|
            examples = block.split(/^\$ /).drop(1).map { |example| example.lines(chomp: true) }
            outputs = shell(examples.map(&:first), free_ports("8080", "9090"))
            examples.zip(outputs) do |(command, *expected), output|
              pattern = expected.map { |line| Regexp.escape(line).gsub("\\.\\.\\.", ".*") }.join("\n")
              assert_match(/\A#{pattern}\n?\z/, output.to_s, command)
            end
          end
        end

        define_method("test_the_links_of_#{name}") do
          targets = read(path).scan(/\]\(([^)#:]+)(?:#[^)]*)?\)/).flatten
          assert_empty(targets.reject { |target| File.exist?(File.expand_path(target, File.dirname(path))) })
        end
      end

      # The tables contain only options and groups of options of the command.
      def test_the_options
        help, = Open3.capture2(RbConfig.ruby, SERVER, "--help")
        named = read(PAGES.first).scan(/^\| (`--.*?) \|/).flatten.join.scan(/--[a-z-]+/)
        assert_operator named.size, :>, 15
        assert_empty(named.reject { |option| help.include?(option) })
      end

      # Runs the commands of `bin/try --serve` with a smaller file.
      def test_try_script
        skip "curl is not installed" unless system("curl --version", %i[out err] => File::NULL)
        output, status = Open3.capture2e(RbConfig.ruby, File.join(ROOT, "bin/try"), "--megabytes", "4", "--rounds", "1",
                                         "--folder", folder)
        assert_predicate status, :success?, output
        assert_match(/^spate-serve +\d+ +\d+\.\d\d$/, output)
        assert_empty Dir.children(folder)
      end

      def test_some_example_runs
        assert_operator blocks(read(PAGES.first)).length, :>=, 3
      end
    end
  end
end
