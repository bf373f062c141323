# frozen_string_literal: true

require "install/build_case"
require "remote_cache/builds/carrier"

# Native gems of one git repository share a folder of extensions. Their builds are stored like those of other gems.
class GitExtensionsTest < InstallBuildCase
  include RemoteCarrier

  NAMES = %w[one two].freeze

  def setup
    super
    @repository = commit
  end

  def test_every_native_gem_of_a_repository_is_built
    project = checkout("app")
    output, status = run_install(project)

    assert_equal 0, status.exitstatus, output
    assert_match(/^2 gems in .* s: 2 from git, 2 extensions built$/, output)
    assert_match(/^2 gems in place, nothing to do/, run_install(project).first)
    assert_loads(project)
  end

  def test_second_bundle_and_recreated_bundle_get_the_same_builds
    assert_equal [NAMES, []], install(first = checkout("first"))
    assert_equal [[], NAMES], install(second = checkout("second"))
    assert_loads(second)
    assert_equal extensions(first), extensions(second)
    assert_equal "", second.run!("git", "-C", tree(second), "status", "--porcelain", "-uno").gsub(/^.*gemspec\n/, "")

    FileUtils.rm_rf(first.path("vendor"))
    assert_equal [[], NAMES], install(first)
    assert_loads(first)
    assert_match(/nothing to do/, run_install(first).first)
  end

  def test_another_store_gets_the_builds_of_trusted_signers
    assert_equal [NAMES, []], install(first = checkout("first"))
    second = checkout("second", home: "other")
    carry(Spate::Build::Cache::Variants.every(first.store), first, second) do |entry|
      RemoteCache::Pack::Places.checkout(layout(second), entry.what, File.basename(tree(first)))
    end
    assert_equal [[], NAMES], install(second, **trust)
    assert_loads(second)
    assert_equal extensions(first), extensions(second).grep_v(%r{/spate\.signers\z})
    assert_equal [NAMES, []], install(checkout("third", home: "other"))
  end

  # The user or Bundler has changed files in the checkout.
  def test_changed_files_of_the_checkout_count
    install(checkout("first"))
    patched = checkout("patched")
    File.write("#{tree(patched)}/shared.h", "#define ANSWER 7\n") # this checkout was made by `bundle lock`

    assert_equal [NAMES, []], install(patched)
    assert_equal "7", value(patched, "one")
    assert_equal [[], NAMES], install(third = checkout("third"))
    assert_equal "1", value(third, "one")
  end

  def test_arguments_and_rebuilds
    install(project = checkout("first"))
    assert_equal [%w[two], %w[one]], install(checkout("second"), BUNDLE_BUILD__TWO: "--with-x")
    # The checkout contains files of a build, in addition to those of the revision.
    assert_includes install(project, "--rebuild", "one").first, "one"
    assert_loads(project)
    assert_equal [%w[one], %w[two]], install(checkout("third"))
    project.spate!("store", "forget", "two")
    assert_equal [%w[two], %w[one]], install(checkout("fourth"))
  end

  # The dependency has a different build in that project.
  def test_builds_of_dependencies_count
    native("base", extconf: "flavour = with_config('flavour', 'plain').dump\n" \
                            "File.write('../../lib/flavour.rb', \"FLAVOUR = \#{flavour}\\n\")")
    repository = commit("seeing", names: %w[seer], needs: "base",
                                  extconf: "require 'flavour'; $defs << \"-DFLAVOUR_LENGTH=\#{FLAVOUR.length}\"")
    assert_equal [%w[base seer], []], install(plain = seeing("plain", repository))
    assert_equal [[], %w[base seer]], install(seeing("same", repository))
    flavour = { BUNDLE_BUILD__BASE: "--with-flavour=strawberry" }
    assert_equal [%w[base seer], []], install(seeing("other", repository, **flavour))
    assert_equal "1", value(plain, "seer")
  end

  private

  def checkout(name, home: "home")
    gemfile = "git '#{@repository}' do\n  gem 'one'\n  gem 'two'\nend\n"
    Spate::TestProject.new(File.join(folder, name), gemfile, home: File.join(folder, home)).tap(&:lock)
  end

  def seeing(name, repository, **env)
    gemfile = "source '#{@source.url}'\ngem 'seer', git: '#{repository}'\n"
    Spate::TestProject.new(File.join(folder, name), gemfile, home: File.join(folder, "home"),
                                                             env: env.transform_keys(&:to_s)).tap(&:lock)
  end

  def tree(project) = Dir.glob("#{project.bundle_root}/bundler/gems/repo-*").first

  def extensions(project)
    root = "#{project.bundle_root}/bundler/gems/extensions"
    Dir.glob("**/*", base: root).sort
  end

  def assert_loads(project)
    built = extensions(project).map { |path| File.basename(path) }
    assert_empty %w[one.so two.so gem.build_complete] - built
    assert_equal %w[1 1], NAMES.map { |name| value(project, name) }
  end

  def commit(folder_name = "repo", names: NAMES, needs: nil, extconf: "")
    names.each do |name|
      write("#{folder_name}/#{name}/#{name}.gemspec", <<~RUBY)
        Gem::Specification.new("#{name}", "1.0") do |spec|
          spec.summary = "x"
          spec.authors = ["x"]
          spec.files = ["ext/extconf.rb"]
          spec.extensions = ["ext/extconf.rb"]
          #{"spec.add_dependency '#{needs}'" if needs}
        end
      RUBY
      write("#{folder_name}/#{name}/ext/extconf.rb", "require 'mkmf'\n#{extconf}\ncreate_makefile('#{name}')\n")
      write("#{folder_name}/#{name}/ext/#{name}.c",
            "#include \"../../shared.h\"\n#{format(C, name: name, constant: name.upcase, value: "ANSWER")}")
    end
    write("#{folder_name}/shared.h", "#define ANSWER 1\n")
    path = File.join(folder, folder_name)
    [%w[init -q], %w[add .], %w[-c user.name=x -c user.email=x@x.test commit -qm x]].each do |arguments|
      system("git", "-C", path, *arguments, exception: true)
    end
    path
  end
end
