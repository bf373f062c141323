# frozen_string_literal: true

require "etc"

# The table of attacks: what was done, the limit that ended it, how it ended, and what it cost the server.
class AttackReport
  PATH = File.expand_path("../../../docs/attacks.md", __dir__)
  HEADINGS = ["attack", "limits", "variant", "ends with", "CPU s", "longest tick ms", "memory MB",
              "another client: requests", "longest wait ms"].freeze
  INTRODUCTION = <<~TEXT
    # Attacks, limits, figures

    Made by `server/benchmark/attacks`; `test/attacks_test.rb` runs the same table in every test run and fails where the
    server's memory grows by more than 64 MB, it takes more than 3 s of the processor, or 0.1 s in one tick of a connection,
    a request of a client that behaves is not answered, or an attack ends otherwise than it should. "ends with": the code of
    GOAWAY, or the status with which a connection of HTTP/1.1 ends; "reset": that of RST_STREAM, and the connection goes on;
    "served": the connection goes on, within its limits; "closed": without a word, after an answer that was asked for or
    before there was anything to answer. The limits are options: `spate serve --help`.

  TEXT

  def initialize(pattern)
    @pattern = pattern && Regexp.new(pattern)
    @results = []
  end

  def run
    attacks = Spate::Server::Attacks
    assault(attacks.quick, :one_by_one)
    %i[http2 http1].each { |over| assault(attacks.slow(over), :together, **attacks::QUICK) }
    File.write(PATH, INTRODUCTION + table + circumstances) unless @pattern
    @results.all?(&:as_it_should?) ? 0 : 1
  end

  private

  def assault(variants, way, **limits)
    variants = variants.select { |variant| @pattern.nil? || variant.title.match?(@pattern) }
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
    [ending(result), format("#{slow}%.2f", result.cpu), format("#{slow}%d", result.tick * 1000),
     format("#{slow}%.1f", result.memory / 1_048_576.0), "#{slow}#{result.served}",
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
    version = "HTTP/1.1" if variant.over == :http1
    [[version, variant.attack, variant.names].compact.join(", "), variant.limit, variant.name, *figures(result)]
  end

  def circumstances
    slow = @results.count { |result| result.variant.slow }
    plain = @results.count { |result| result.variant.over == :http1 }
    "\n#{@results.size} attacks, #{plain} of them over HTTP/1.1. The last #{slow} take time: those of a version ran " \
      "at once, against a server whose limits of time are 1 s (idle: 3 s), and their figures are those of all " \
      "together. #{RUBY_DESCRIPTION}; #{Etc.nprocessors} processors, shared with the attackers.\n"
  end
end
