# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # Ruby child processes of a program use the bundle, as under `bundle exec`.
  class ChildrenTest < ExecCase
    CHILD = "require %q(local); puts [Local.answer, Gem.loaded_specs.size, $LOAD_PATH.size].inspect"

    def test_children_and_their_children_have_the_bundle
      program = "system('ruby', '-e', #{CHILD.dump}); puts IO.popen(['ruby', '-e', #{CHILD.dump}], &:read)"
      (expected,), (found,) = both(program)
      assert_equal expected, found
      build
      assert_equal expected, both(program).last.first
    end

    def test_children_use_the_compile_cache
      build
      child = "puts Spate::Boot.session.parts.values_at(:loader, :replay, :load_path_cache).inspect"
      assert_equal "[true, true, true]\n", spate_exec("sh", "-c", "ruby -e '#{child}'").first
    end

    def test_child_without_the_bundle_environment_has_no_bundle
      program = "Bundler.with_unbundled_env { system('ruby', '-e', 'p ENV[%q(RUBYOPT)], defined?(Spate), $LOAD_PATH') }"
      (expected,), (found,) = both(program)
      assert_equal expected, found
      build
      assert_equal expected, both(program).last.first
    end

    KEYS = "puts ENV.keys.grep(/SPATE|RUBY|BUNDLE/).sort.join(' ')"
    OUTSIDE = %w[unbundled original].map { |env| "Bundler.with_#{env}_env { #{KEYS} }" }.join(";")

    def test_original_environment_is_available_in_ruby_and_its_children
      commands = [["ruby", "-e", OUTSIDE], ["sh", "-c", "ruby -e \"#{OUTSIDE}\""]]
      expected = commands.map { |command| project.run("bundle", "exec", *command).first }
      assert_equal expected.first, commands.map { |command| spate_exec(*command).first }.first
      build
      assert_equal expected, commands.map { |command| spate_exec(*command).first }
    end

    def test_another_ruby_behaves_as_with_bundler
      build
      # SPATE_RUBY simulates a different Ruby. It sets up with Bundler itself.
      output, = spate_exec("sh", "-c", "SPATE_RUBY=other ruby -e 'p defined?(Spate), Bundler.method(:setup).owner; " \
                                       "require %q(local); p Local.answer'")
      assert_equal "nil\n\#<Class:Bundler>\n42\n", output
    end

    def test_bundle_exec_within_spate_exec
      build
      expected, = project.run("bundle", "exec", "bundle", "exec", "ruby", "-e", CHILD)
      assert_equal expected, spate_exec("bundle", "exec", "ruby", "-e", CHILD).first
      ours = ["ruby", "--disable-gems", EXE, "exec", "ruby", "-e", CHILD]
      assert_equal expected, project.run("bundle", "exec", *ours).first
    end

    EXE = File.expand_path("../../../exe/spate", __dir__)
  end
end
