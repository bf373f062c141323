# frozen_string_literal: true

require_relative "../../gemfile/gemfile_check_case"
require "stringio"
require "spate/tracer"
require "spate/cli/explain"

module Spate
  module CLI
    # `spate explain gemfile` lists the inputs of a stored Gemfile check, and which of them have changed.
    class ExplainGemfileTest < Spate::Gemfile::GemfileCheckCase
      Context = Struct.new(:location, :settings, :store, :env)

      def explain(**values)
        out = StringIO.new
        terminal = Util::Terminal.new(out: out, err: out, env: { "NO_COLOR" => "1" })
        context = Context.new(@location, settings, @store, @env.merge("SPATE_HOME" => File.join(folder, "spate")))
        code = Explain::Gemfile.new([], values: values, terminal: terminal, context: context).run
        [code, out.string]
      end

      def test_no_stored_gemfile_check
        app("")
        hint = "hint: `spate install` stores Bundler's result"
        assert_equal [11, "nothing is stored for #{path("Gemfile")}\n#{hint}\n"], explain
      end

      def test_explains_inputs_and_changes
        app("File.read('f'); Dir['*.x']; ENV['SOME']\n")
        write("app/f", "x")
        evaluate
        code, text = explain
        assert_equal 0, code
        assert_match(
          /\Acheck  would be used here: nothing changed\n  depends on \d+ variables, \d+ .*\d+ patterns\n\z/, text
        )
        File.write(path("f"), "y")
        assert_match(%r{\Acheck  not used here: \S+/app/f changed\n}, explain.last)
        text = explain(verbose: true).last
        ["read  ./f", "variables  SOME", "patterns  *.x in ."].each { |line| assert_includes text, "  #{line}\n" }
      end

      def test_json
        app("File.read('f')\n")
        write("app/f", "x")
        evaluate
        require "json"
        facts = JSON.parse(explain(json: true).last)
        assert_equal ["gemfile_explained", "check", nil], facts.values_at("event", "answer", "change")
        assert_operator facts["inputs"]["file"], :>, 1
      end
    end
  end
end
