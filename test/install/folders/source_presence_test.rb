# frozen_string_literal: true

require "install/install_case"

# Missing folders of `path:` and `git:` gems, and folders that a build removes.
class SourcePresenceTest < InstallCase
  def test_missing_folder_of_a_path_gem
    project = app("app", gems: %w[])
    write_gem("own")
    File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'own', path: '../own'\n")
    project.bundle("lock", "--local")
    assert_installs(project)
    assert_checks(project, 0)
    FileUtils.mv("#{folder}/own", "#{folder}/elsewhere")

    assert_checks(project, 11, "own-1.0")
    assert_fails(project, 14, "own-1.0", "#{folder}/own")
    FileUtils.mv("#{folder}/elsewhere", "#{folder}/own")
    assert_installs(project)
    assert_checks(project, 0)
  end

  def test_missing_checkout
    project = app("app", gems: %w[])
    write_gem("own")
    Dir.chdir("#{folder}/own") do
      system("git", "init", "--quiet", exception: true)
      system("git", "add", ".", exception: true)
      system("git", "-c", "user.name=a", "-c", "user.email=a@a.test", "commit", "--quiet", "-m", "one", exception: true)
    end
    File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'own', git: 'file://#{folder}/own'\n")
    assert_installs(project)
    assert_checks(project, 0)
    assert_match(/^own\s+1\.0\s+installed\s+\S+ \(at (?:\w+@)?\h{7}\)$/, project.spate("list").first)
    FileUtils.rm_rf(Dir.glob("#{project.path("vendor")}/bundle/ruby/*/bundler/gems/*"))

    assert_checks(project, 11, "own-1.0")
    assert_installs(project)
    assert_checks(project, 0)
  end

  # nokogiri's build removes its bundled archives this way.
  def test_a_folder_that_a_build_removes_is_not_missing
    @source.add("clean", "1.0", native: true, files: {
                  "lib/clean.rb" => "", "ports/deep/archive" => "1", "ext/clean/extconf.rb" => <<~RUBY
                    require "fileutils"
                    require "mkmf"
                    FileUtils.rm_rf(File.expand_path("../../ports", __dir__))
                    File.write("clean.c", "void Init_clean(void) {}")
                    create_makefile("clean/clean")
                  RUBY
                })
    %w[one two].each do |name|
      project = app(name, gems: %w[clean])
      assert_installs(project, "clean-1.0")

      assert_empty Dir.glob("#{folder}/#{name}/vendor/bundle/ruby/*/gems/clean-1.0/ports"), name
      refute_match(/missing/, assert_installs(project), name)
      refute_match(/missing/, assert_checks(project, 0), name)
    end
  end

  private

  def write_gem(name)
    write("#{name}/lib/#{name}.rb", "")
    write("#{name}/#{name}.gemspec", <<~RUBY)
      Gem::Specification.new do |spec|
        spec.name = "#{name}"
        spec.version = "1.0"
        spec.summary = spec.author = "x"
        spec.files = ["lib/#{name}.rb"]
      end
    RUBY
  end

  def assert_checks(project, code, *words)
    output, status = project.spate("check")
    assert_equal code, status.exitstatus, output
    words.each { |word| assert_includes output, word }
    output
  end
end
