# frozen_string_literal: true

require "cli/cli_case"
require "support/project"

# `spate cache` in an application without installed gems. No gem source is queried.
class CacheCommandCase < CLICase
  def project = @project ||= Spate::TestProject.new(File.join(folder, "app"), "source 'https://gems.test'\n")
  def cache(*words, **env) = project.spate!("cache", *words, **env)
  def remembered(name = "spate.cache") = Spate::Settings.load(root: project.folder, env: project.env)[name]
  def key = @key ||= Spate::RemoteCache::Trust::PrivateKey.generate
  def place(name = "share") = File.join(folder, name).tap { |path| FileUtils.mkdir_p(path) }

  # The output of a command that must fail with this exit code.
  def refused(code, *words, **env)
    output, status = project.spate("cache", *words, **env)
    assert_equal code, status.exitstatus, output
    output
  end
end
