# frozen_string_literal: true

require "etc"
require_relative "attack_limits"

# Writes docs/attacks.md: the limits, and for each attack its outcome and the cost for the server.
class AttackReport
  PATH = File.expand_path("../../../docs/attacks.md", __dir__)
  # The columns of attacks that run alone, and of those that run concurrently.
  HEADINGS = ["attack", "limits", "variant", "ends with", "CPU s", "longest tick ms", "memory MB",
              "other client: requests", "its longest wait ms"].freeze
  SLOW_HEADINGS = HEADINGS.first(4).freeze
  INTRODUCTION = <<~TEXT
    # Attacks, limits, figures

    This page lists the attacks that `spate-serve` is tested with, the limit that stops each one, and what it costs the
    server. Read it before you raise a limit, or to check whether an attack is covered.

    `server/benchmark/attacks` writes this page. `test/attacks_test.rb` runs the same attacks in every test run. A run
    fails if

    - an attack does not end as expected, or a request of another client is not answered;
    - the server's memory grows by more than 64 MB;
    - the server takes more than 3 s of CPU time, or 0.1 s in one tick of a connection.

    ## Limits
    The worst cost is the largest of each figure among the attacks that the limit stops, without those that run
    concurrently: CPU time, longest tick of a connection, growth of memory.

  TEXT
  OUTCOMES = <<~TEXT

    ## Attacks
    In the column *limits*, `control_frames` is the option `--limit-control-frames`. "RFC rule" means that the RFC
    requires the outcome, without an option.

    | ends with | meaning |
    | --- | --- |
    | a name, such as `ENHANCE_YOUR_CALM` | the server closes the HTTP/2 connection with GOAWAY and this error code |
    | a number, such as 400 | the server closes the HTTP/1.1 connection with this status |
    | reset | the server resets the stream with this error code, and the connection continues |
    | served | the server answers within its limits, and the connection continues |
    | closed | the server closes the connection without a response to the attack |
    | any outcome | any of these |

  TEXT

  def initialize(pattern)
    @pattern = pattern && Regexp.new(pattern)
    @results = []
  end

  def run
    attacks = Spate::Server::Attacks
    assault(attacks.quick, :one_by_one)
    %i[http2 http1].each { |over| assault(attacks.slow(over), :together, **attacks::QUICK) }
    File.write(PATH, page) unless @pattern
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

  def page
    slow, quick = @results.partition { |result| result.variant.slow }
    INTRODUCTION + AttackLimits.new(@results).table + OUTCOMES +
      table(HEADINGS, quick.map { |result| description(result) + figures(result) }) + slow_attacks(slow) + circumstances
  end

  # [attack, limits, variant]
  def description(result)
    variant = result.variant
    [[variant.title_of_attack, variant.names].compact.join(", "), variant.limit, variant.name]
  end

  def figures(result)
    [ending(result), format("%.2f", result.cpu), format("%d", result.tick * 1000),
     format("%.1f", result.memory / 1_048_576.0), result.served.to_s, format("%d", result.wait * 1000)]
  end

  def ending(result)
    return "any outcome" if result.variant.ends == :any

    result.endings.uniq.map { |ending| Array(ending).join(" ") }.join(", ")
  end

  def table(headings, rows)
    [headings, headings.map { "---" }, *rows].map { |cells| "| #{cells.join(" | ")} |\n" }.join
  end

  # Results of attacks that ran concurrently have the same figures, which are totals.
  def slow_attacks(results)
    totals = results.group_by { |result| result.variant.over }.map do |over, group|
      _, *figures = figures(group.first)
      [over == :http1 ? "HTTP/1.1" : "HTTP/2", group.size, *figures]
    end
    rows = results.map { |result| description(result) + [ending(result)] }
    ["\n## Attacks that take time\n",
     "The attacks of one HTTP version ran concurrently, against a server with timeouts of 1 s (idle: 3 s). ",
     "The figures are totals.\n\n", table(["version", "attacks", *HEADINGS.drop(4)], totals), "\n",
     table(SLOW_HEADINGS, rows)].join
  end

  def circumstances
    plain = @results.count { |result| result.variant.over == :http1 }
    "\n#{@results.size} attacks, #{plain} of them over HTTP/1.1. #{RUBY_DESCRIPTION}; #{Etc.nprocessors} processors, " \
      "shared with the attackers.\n"
  end
end
