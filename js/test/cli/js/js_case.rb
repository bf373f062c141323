# frozen_string_literal: true

require "cli/cli_case"

# Base class for tests of `spate js`: a project with a lockfile, and fake restores.
class JSCase < CLICase
  def setup
    write("app/package.json", "{\"name\":\"app\",\"version\":\"1.0.0\"}\n")
    write("app/package-lock.json", <<~JSON)
      {"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"app","version":"1.0.0"}}}
    JSON
  end

  def app(*parts) = File.join(folder, "app", *parts)

  def report(**facts)
    Spate::JS::Restore::Report.new.tap do |report|
      report.tool = "npm"
      facts.each { |name, value| report.public_send("#{name}=", value) }
    end
  end

  # Replaces JS.restore, or another method of JS, in the block. answer: its result, or a callable that gets the keyword
  # arguments. Returns the arguments of all calls.
  def restoring(answer, method: :restore)
    calls = []
    real = Spate::JS.respond_to?(method) && Spate::JS.method(method)
    Spate::JS.define_singleton_method(method) do |**given|
      calls << given
      answer.respond_to?(:call) ? answer.call(given) : answer
    end
    yield
    calls
  ensure
    Spate::JS.singleton_class.send(:remove_method, method)
    Spate::JS.define_singleton_method(method, real) if real
  end
end
