# frozen_string_literal: true

require "test_helper"
require "open3"
require "yaml"

# The changes to files that `rails new` generates. test/support/rails_new has those of Rails 8.1.
class RailsFilesTest < Minitest::Test
  Files = Spate::CLI::Setup::RailsFiles
  ROOT = File.expand_path("../../..", __dir__)
  GENERATED = "#{ROOT}/test/support/rails_new".freeze
  PAGE = "#{ROOT}/docs/rails.md".freeze

  # Lines of earlier versions of Rails.
  DOCKERFILE_7_1 = <<~'DOCKER'
    FROM ruby:3.3-slim AS base
    WORKDIR /rails
    ENV RAILS_ENV="production" \
        BUNDLE_DEPLOYMENT="1" \
        BUNDLE_PATH="/usr/local/bundle" \
        BUNDLE_WITHOUT="development"
    FROM base AS build
    COPY Gemfile Gemfile.lock ./
    RUN bundle install && \
        rm -rf ~/.bundle/ "${BUNDLE_PATH}"/ruby/*/cache && \
        bundle exec bootsnap precompile --gemfile
    COPY . .
    # Precompile bootsnap code for faster boot times
    RUN bundle exec bootsnap precompile app/ lib/

    FROM base
    COPY --from=build /usr/local/bundle /usr/local/bundle
    COPY --from=build /rails /rails
    RUN useradd rails --create-home
    USER rails:rails
    CMD ["./bin/rails", "server"]
  DOCKER
  WORKFLOW_7_2 = <<~'YAML'
    jobs:
      test:
        steps:
          - uses: actions/checkout@v4
          - uses: ruby/setup-ruby@v1
            with:
              ruby-version: .ruby-version
              bundler-cache: true
          - run: bin/rails test
  YAML

  def changes = Files.changes(GENERATED)
  def after(path) = changes.find { |change| change.path == path }.after

  def test_every_generated_file_changes
    assert_equal [*Files::FILES.keys, Files::ACTION], changes.map(&:path)
  end

  def test_second_run_changes_nothing
    Files::FILES.each { |path, edit| assert_equal after(path), Files.public_send(edit, after(path)), path }
  end

  def test_other_files_stay_unchanged
    Files::FILES.each_value { |edit| assert_equal "exec true\n", Files.public_send(edit, "exec true\n") }
  end

  def test_ruby_files_are_valid
    %w[bin/setup config/boot.rb].each { |path| assert RubyVM::InstructionSequence.compile(after(path)) }
  end

  # A machine without Spate runs Bundler.
  def test_bin_setup_falls_back_to_bundler
    line = after("bin/setup")[/^ *system\("spate.*/]
    write("bin/bundle", "#!/bin/sh\necho \"bundle $*\"\n", mode: 0o755)
    out, = Open3.capture2e({ "PATH" => "#{folder}/bin" }, RbConfig.ruby, "--disable-gems", "-e", line)

    assert_equal "bundle check\n", out
  end

  def test_boot_without_spate
    boot = after("config/boot.rb")[/^begin.*?^end\n/m].sub("spate/boot", "spate-that-is-missing")

    assert system(RbConfig.ruby, "--disable-gems", "-e", boot)
  end

  def test_dockerfile
    text = after("Dockerfile")

    refute_match(/bootsnap|RUN bundle/, text)
    assert_match(/^    SPATE_BOOT_BACKGROUND="0" \\\n    BUNDLE_WITHOUT/, text)
    assert_operator text.index("RUN spate boot build"), :>, text.index("USER 1000:1000")
    assert_operator text.index("RUN spate boot build"), :>, text.rindex("--from=build")
    assert_includes text, %(CMD ["spate", "exec", "./bin/thrust", "./bin/rails", "server"]\n)
  end

  # Its entry point compares the command's first words.
  def test_dockerfile_of_rails_seven_one
    text = Files.dockerfile(DOCKERFILE_7_1)

    refute_match(/bootsnap|RUN bundle/, text)
    assert_operator text.index("RUN spate boot build"), :>, text.index("USER rails:rails")
    assert_includes text, %(CMD ["./bin/rails", "server"]\n)
    assert_equal text, Files.dockerfile(text)
  end

  def test_dockerfile_without_stages_stays_unchanged
    text = "FROM ruby\nRUN bundle install\n"

    assert_equal text, Files.dockerfile(text)
  end

  # Otherwise the command would be removed, or its first line.
  def test_dockerfile_with_commands_of_the_user
    text = File.read("#{GENERATED}/Dockerfile")
    added = text.sub(/^RUN bundle install && \\\n/) { |line| "#{line}    bin/own && \\\n" }
    assert_equal added, Files.dockerfile(added)

    continued = text.sub("precompile -j 1 app/ lib/") { |command| "#{command} && \\\n  bin/own" }
    assert_includes Files.dockerfile(continued), "precompile -j 1 app/ lib/ && \\\n  bin/own\n"
    commented = text.sub("# Precompile bootsnap") { |comment| "# Own comment\n#{comment}" }
    assert_match(/# Own comment\n(?!.*bootsnap)/m, Files.dockerfile(commented))
  end

  # Files outside the application may belong to others. A diff of many lines needs much memory.
  def test_files_that_rails_new_does_not_generate_stay_unchanged
    FileUtils.cp_r("#{GENERATED}/.", "#{folder}/app")
    FileUtils.mv("#{folder}/app/bin/setup", folder)
    File.symlink("#{folder}/setup", "#{folder}/app/bin/setup")
    File.write("#{folder}/app/config/boot.rb", File.read("#{GENERATED}/config/boot.rb").gsub("\n", "\r\n"))
    File.write("#{folder}/app/Dockerfile", "# long\n" * 2000, mode: "a")
    File.symlink(folder, "#{folder}/app/.github/actions")

    assert_equal [".github/workflows/ci.yml"], Files.changes("#{folder}/app").map(&:path)
  end

  # The action has no input for a folder.
  def test_workflow_with_the_gems_of_another_folder_stays_unchanged
    text = WORKFLOW_7_2.sub("bundler-cache: true", "working-directory: api\n          \\0")

    assert_equal text, Files.workflow(text)
  end

  def test_workflow
    steps = YAML.safe_load(after(".github/workflows/ci.yml"))["jobs"].values.map { |job| job["steps"] }
    used = steps.map { |list| list.filter_map { |step| step["uses"] }.first(3) }

    assert_equal 5, steps.size
    assert_equal [["actions/checkout@v5", "ruby/setup-ruby@v1", "./.github/actions/setup-spate"]], used.uniq
    refute_includes after(".github/workflows/ci.yml"), "bundler-cache"
  end

  def test_workflow_of_rails_seven_two
    steps = YAML.safe_load(Files.workflow(WORKFLOW_7_2))["jobs"]["test"]["steps"]

    assert_equal({ "uses" => "ruby/setup-ruby@v1", "with" => { "ruby-version" => ".ruby-version" } }, steps[1])
    assert_equal "./.github/actions/setup-spate", steps[2]["uses"]
  end

  # docs/rails.md shows one of several equal hunks.
  def test_page_shows_these_changes
    shown = File.read(PAGE, encoding: "UTF-8").scan(/^```diff\n(--- a.*?)^```$/m).flatten
    real = changes.to_h { |change| [change.path, change.diff] }

    assert_equal Files::FILES.keys.sort, shown.map { |text| text[%r{\A--- a/(.+)}, 1] }.sort
    shown.each do |text|
      heading, *hunks = text.split(/^(?=@@ )/)
      hunks.each { |hunk| assert_includes real[heading[%r{\A--- a/(.+)}, 1]], hunk }
    end
  end
end
