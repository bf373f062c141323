# frozen_string_literal: true

require "etc"

# The table of attacks: what was done, the limit that ended it, how it ended, and what it cost the server.
class AttackReport
  PATH = File.expand_path("../../docs/attacks.md", __dir__)
  HEADINGS = ["attack", "limits", "variant", "ends with", "CPU s", "memory MB", "another client waits, ms"].freeze
  INTRODUCTION = <<~TEXT
    # Attacks, limits, figures

    Made by `server/benchmark/attacks`; `test/attacks_test.rb` runs the same table in every test run and fails where the
    server's memory grows by more than 64 MB, it takes more than 3 s of CPU, a client that behaves waits longer than a
    second on a new connection, or an attack ends otherwise than it should. "ends with": the code of GOAWAY; "reset" that
    of RST_STREAM, and the connection goes on; "served": the connection goes on, within its limits. The limits are
    options: `spate serve --help`.

  TEXT

  def initialize(pattern)
    @pattern = pattern && Regexp.new(pattern)
    @results = []
  end

  def run
    quick, slow = variants.partition { |variant| !variant.slow }
    assault(quick, :one_by_one)
    assault(slow, :together, **Spate::Server::Attacks::QUICK)
    File.write(PATH, INTRODUCTION + table + circumstances) unless @pattern
    @results.all?(&:as_it_should?) ? 0 : 1
  end

  private

  def variants = Spate::Server::Attacks.all.select { |variant| @pattern.nil? || variant.title.match?(@pattern) }

  def assault(variants, way, **limits)
    return if variants.empty?

    assault = Spate::Server::Assault.new(**limits)
    assault.public_send(way, variants) do |result|
      @results << result
      puts [result.variant.title, *figures(result)].join("  ") + (result.as_it_should? ? "" : "  WRONG")
    end
  ensure
    assault&.close
  end

  def figures(result)
    slow = result.variant.slow ? "all: " : ""
    [ending(result), format("#{slow}%.2f", result.cpu), format("#{slow}%.1f", result.memory / 1_048_576.0),
     format("#{slow}%d", result.wait * 1000)]
  end

  def ending(result)
    return "anything" if result.variant.ends == :any

    result.endings.uniq.map { |ending| Array(ending).join(" ") }.join(", ")
  end

  def table
    rows = @results.map { |result| row(result) }
    [HEADINGS, HEADINGS.map { "---" }, *rows].map { |cells| "| #{cells.join(" | ")} |\n" }.join
  end

  def row(result)
    variant = result.variant
    [[variant.attack, variant.names].compact.join(", "), variant.limit, variant.name, *figures(result)]
  end

  def circumstances
    slow = @results.count { |result| result.variant.slow }
    "\n#{@results.size} attacks. The last #{slow} take time: they ran at once, against a server whose limits of time " \
      "are 1 s (idle: 3 s), and their figures are those of all together. #{RUBY_DESCRIPTION}; " \
      "#{Etc.nprocessors} processors, shared with the attackers.\n"
  end
end
