# frozen_string_literal: true

require "cli/cli_case"

# A project with a lockfile, and a restore that each test defines instead of the real one.
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

  # Yields what JS.restore is called with; its answer is the block's. method: another one of JS.
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
