# frozen_string_literal: true

require "test_helper"
require "stringio"
require "support/project"

module Spate
  module Util
    class FailureTest < Minitest::Test
      def told(error)
        err = StringIO.new
        terminal = Terminal.new(out: StringIO.new, err: err, env: {})
        [Failure.new(error, argv: ["install"], terminal: terminal).report, err.string]
      end

      def teardown
        @source&.stop
        super
      end

      # Ruby 3.1 includes the receiver with all of its variables in the message.
      def test_bug_report_does_not_contain_the_environment
        holder = Object.new
        holder.instance_variable_set(:@env, { "TOKEN" => "secret-7" })
        code, text = told(assert_raises(NameError) { holder.instance_eval("no_such_thing", __FILE__, __LINE__) })

        assert_equal 1, code
        assert_match(/^error: this is a bug in Spate .*NameError: undefined local variable or method .no_such_thing/,
                     text)
        refute_includes text, "secret-7"
        assert_match(/^hint: /, text)
      end

      # A checkout that was not compiled, or a gem whose extension is missing.
      def test_spate_without_its_extension
        root = File.expand_path("../..", __dir__)
        FileUtils.cp_r("#{root}/lib", folder)
        Dir.glob("#{folder}/lib/spate/native/*.so").each { |path| File.unlink(path) }
        ["gem pristine spate --extensions", "#{folder}/bin/compile"].each do |remedy|
          write("bin/compile", "") if remedy.start_with?("/")
          %w[install doctor].each do |command|
            output, status = unbuilt(command)

            assert_equal 15, status.exitstatus, "#{command}: #{output}"
            assert_match(/hint: .*#{Regexp.escape(remedy)}$/, output)
            refute_match(/bug/, output)
          end
        end
      end

      # If a file is in the way of a path, this is not a bug.
      def test_a_path_that_is_blocked
        file = write("file", "")
        error = assert_raises(Errno::ENOTDIR) { File.read("#{file}/x") }
        code, text = told(error)

        assert_equal 9, code
        assert_equal "error: #{file} is a file: expected a folder, for #{file}/x", text.lines.first.chomp
        assert_match(/^hint: remove it/, text)
      end

      # A file name may contain any bytes.
      def test_bug_with_a_message_of_invalid_bytes
        code, text = told(RuntimeError.new("no caf\xE9 here"))

        assert_equal 1, code
        assert_match(/RuntimeError: no caf\? here$/, text)
      end

      private

      def unbuilt(command)
        @source ||= GemSource.start.tap { |source| source.add("base", "1.0") }
        gemfile = "source '#{@source.url}'\ngem 'base'\n"
        @project ||= TestProject.new(File.join(folder, "app"), gemfile).tap(&:lock)
        @project.run("ruby", "--disable-gems", "-I#{folder}/lib", "-rspate", "-e",
                     "exit Spate::CLI.start([#{command.dump}])")
      end
    end
  end
end
