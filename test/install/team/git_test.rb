# frozen_string_literal: true

require "install/team/team_case"
require "support/cache_server"

# Builds in a git checkout are shared with other machines, and used only if their signer is trusted.
class TeamGitTest < TeamCase
  def setup
    super
    @repository = FileUtils.mkdir_p("#{folder}/repo").first
    commit("1")
  end

  def test_a_second_machine_compiles_nothing_and_another_revision_is_another_build
    assert_equal [%w[one], []], install(first = checkout("first"))
    assert_equal [1, 0], push(first).last.values_at("sent", "refused")
    second = checkout("second")
    of_another_day(second)
    assert_equal [[], %w[one]], install(second)
    assert_equal [1, 0], done.values_at("builds_from_team", "built")
    assert_equal "1", value(second, "one")
    assert_match(/: 1 build found /, second.spate!("cache", "status"))
    assert_match(/1 install:/, second.spate!("cache", "status"))

    assert_equal [[], []], install(second)
    assert_equal [%w[one], []], install(second, SPATE_CACHE_KEYS: ""), "its signer is no longer trusted"

    commit("2")
    assert_equal [%w[one], []], install(third = checkout("third"))
    assert_equal "2", value(third, "one")
  end

  # A malicious build may have written anywhere in the checkout.
  def test_files_of_a_distrusted_build_are_removed_from_the_checkout
    commit("1", extconf: "File.write(%(../made-by-\#{Process.pid}.rb), %())")
    push(checkout("first").tap { |project| install(project) })
    install(second = checkout("second"))
    made = Dir.glob("#{second.bundle_root}/bundler/gems/*/made-by-*")
    assert_equal 1, made.size
    assert_equal [%w[one], []], install(second, SPATE_CACHE_KEYS: "")
    assert_match(/replacing repo-\h{12}: the signer of its build is not trusted here/, warnings.join)
    refute_path_exists made.first
    assert_equal 1, Dir.glob("#{File.dirname(made.first)}/made-by-*").size
  end

  # The checkout is moved aside once, and the new one is kept.
  def test_two_sources_of_one_checkout
    gemspec("plain/two", "two")
    commit("1")
    more = "git('#{@repository}', glob: 'plain/*.gemspec') { gem 'two' }\n"
    push(checkout("first", more: more).tap { |project| install(project) })
    install(second = checkout("second", more: more))
    assert_equal [%w[one], []], install(second, SPATE_CACHE_KEYS: "")
    assert_equal 1, warnings.grep(/^replacing /).size
    assert_equal "1", value(second, "one")
  end

  # In a shared folder, only the checkout's own file records the signers of its builds.
  def test_folder_used_by_other_projects_keeps_its_signers
    shared = { BUNDLE_PATH: "#{folder}/shared" }
    push(checkout("first").tap { |project| install(project) })
    assert_equal [[], %w[one]], install(checkout("second"), **shared)
    install(another, **shared)
    assert_equal [%w[one], []], install(checkout("third"), **shared, SPATE_CACHE_KEYS: "")
  end

  def test_unresponsive_cache_does_not_delay_a_build
    server = CacheServer.new(@cache).start
    server.fault(//, :stall)
    assert_equal [%w[one], []], install(checkout("first", cache: server.url))
  ensure
    server&.stop
  end

  private

  def checkout(name, cache: @cache, more: "")
    gemfile = "git('#{@repository}') { gem 'one' }\n#{more}"
    env = { "SPATE_CACHE" => cache, "SPATE_CACHE_KEYS" => @key.public_key("ci").to_s, "PWD" => "#{folder}/#{name}/app" }
    Spate::TestProject.new("#{folder}/#{name}/app", gemfile, home: "#{folder}/#{name}/home", env: env).tap(&:lock)
  end

  # Changes the date of the gemspec: older RubyGems write the day on which they evaluated it.
  def of_another_day(project)
    path = Dir.glob("#{project.bundle_root}/bundler/gems/repo-*/one.gemspec").first
    text = File.read(path)
    File.write(path, text.sub(/^  s\.date = .*\n/, %(  s.date = "2020-01-01"\n)))
  end

  def gemspec(path, name, more = "")
    write("repo/#{path}.gemspec", <<~RUBY)
      Gem::Specification.new("#{name}", "1.0") do |spec|
        spec.summary = "x"
        spec.authors = ["x"]
        #{more}
      end
    RUBY
  end

  def commit(value, extconf: "")
    gemspec("one", "one", 'spec.extensions = ["ext/extconf.rb"]')
    write("repo/ext/extconf.rb", "require 'mkmf'\n#{extconf}\ncreate_makefile('one')\n")
    write("repo/ext/one.c", format(C, name: "one", constant: "ONE", value: value))
    [%w[init -q], %w[add .], %w[-c user.name=x -c user.email=x@x.test commit -qm x]].each do |arguments|
      system("git", "-C", @repository, *arguments, exception: true)
    end
  end
end
