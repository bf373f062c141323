# frozen_string_literal: true

require "install/install_case"

# Native gems of one git repository share a folder of extensions.
class GitExtensionsTest < InstallCase
  NAMES = %w[one two].freeze

  def test_every_native_gem_of_a_repository_is_built
    repository = commit
    gemfile = "git '#{repository}' do\n  gem 'one'\n  gem 'two'\nend\n"
    project = Spate::TestProject.new(File.join(folder, "app"), gemfile)
    project.lock
    output, status = run_install(project)

    assert_equal 0, status.exitstatus, output
    assert_match(/^2 gems in .* s: 2 from git$/, output)
    assert_match(/^2 gems in place, nothing to do/, run_install(project).first)
    built = Dir.glob("#{project.bundle_root}/bundler/gems/extensions/*/*/*/*").map { |path| File.basename(path) }
    assert_empty %w[one.so two.so gem.build_complete] - built
    assert_equal "loaded\n", project.bundle("exec", "ruby", "-e", "require 'one'; require 'two'; puts 'loaded'")
  end

  private

  def commit
    NAMES.each do |name|
      write("repo/#{name}/#{name}.gemspec", <<~RUBY)
        Gem::Specification.new("#{name}", "1.0") do |spec|
          spec.summary = "x"
          spec.authors = ["x"]
          spec.extensions = spec.files = ["ext/extconf.rb"]
        end
      RUBY
      write("repo/#{name}/ext/extconf.rb", "require 'mkmf'\ncreate_makefile('#{name}')\n")
      write("repo/#{name}/ext/#{name}.c", "void Init_#{name}(void) {}\n")
    end
    path = File.join(folder, "repo")
    [%w[init -q], %w[add .], %w[-c user.name=x -c user.email=x@x.test commit -qm x]].each do |arguments|
      system("git", "-C", path, *arguments, exception: true)
    end
    path
  end
end
