# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/running"

module Spate
  module Server
    # Runs the benchmarks and checks their verdicts, but not the measured figures.
    class BenchmarkTest < Minitest::Test
      SERVE = File.expand_path("../benchmark/serve", __dir__)
      CACHE = File.expand_path("../benchmark/cache", __dir__)
      FRAMING = File.expand_path("../benchmark/framing", __dir__)

      def command(*words, program: SERVE)
        output, errors, status = Open3.capture3("timeout", "60", RbConfig.ruby, program, *words)
        [output.force_encoding("UTF-8"), errors.force_encoding("UTF-8"), status]
      end

      def client(name) = ENV["PATH"].split(":").any? { |folder| File.executable?(File.join(folder, name)) }

      def test_the_rows
        output, _, status = command("--rows")

        assert_predicate status, :success?
        assert_equal %w[big-file big-file-tls big-file-http1 small-files small-files-http1 rack-hello rack-hello-http1
                        idle idle-tls upload], output.lines.map { |line| line.split.first }
      end

      def test_unknown_row_is_rejected
        _, errors, status = command("--only", "nothing")

        refute_predicate status, :success?
        assert_match(/unknown row nothing, expected one of: big-file/, errors)
      end

      def test_partial_run_writes_no_results
        skip "curl and h2load are needed" unless client("curl") && client("h2load")
        results = File.join(folder, "results.md")
        output, errors, status = command("--only", "big-file,small-files,idle", "--servers", "spate", "--scale", "0.02",
                                         "--runs", "1", "--results", results)

        assert_predicate status, :success?, output + errors
        assert_match(/^\| spate-serve \| [\d.]+ \| [\d.]+ \|/, output)
        judged = %r{^\| Small static files, HTTP/2 \| spate-serve \| [\d.]+ .+ \| ≤ 1.5, aim at 0.8 \| (hit|MISS) \|$}

        assert_match(judged, output)
        assert_match(/^\| spate-serve \| -?[\d.]+ \| – \|$/, output)
        assert_match(/results not written: this was not a full run/, errors)
        refute_path_exists results
      end

      def test_partial_run_of_the_cache_benchmark
        skip "curl is needed" unless client("curl")
        output, errors, status = command("--only", "write-large-entries,write-small-entries", "--servers", "spate",
                                         "--scale", "0.02", "--runs", "1", program: CACHE)

        assert_predicate status, :success?, output + errors
        assert_equal 2, output.scan(/^\| spate-serve \| [\d.]+ \| [\d.]+ \| – \| – \|$/).size, output
      end

      # A figure that this Ruby or machine cannot measure is reported with a reason. A server that does not start is a
      # failure.
      def test_unmeasured_figures_have_a_reason
        program = <<~RUBY
          require "#{File.dirname(SERVE)}/support/benchmarks/serve_benchmark"
          missing = SpateServe.new.tap { |one| def one.missing(_) = "no YJIT" }
          broken = SpateServe.new.tap { |one| def one.start(*) = raise("no door") }
          [missing, broken].each do |one|
            row = SmallFiles.new("nowhere")
            row.define_singleton_method(:contestants) { [one] }
            row.define_singleton_method(:floors) { [] }
            row.round
            p row.absent, row.failed
          end
        RUBY
        output, status = Open3.capture2e(RbConfig.ruby, "-e", program)

        assert_predicate status, :success?, output
        assert_equal [{ "spate-serve" => "no YJIT" }, [], { "spate-serve" => "failed: no door" }, ["spate-serve"]],
                     output.lines.map { |line| eval(line) } # rubocop:disable Security/Eval -- printed by `program`
      end

      # Verdicts are computed from the measured values, and ratios from values of the same round.
      def test_the_verdicts
        program = <<~RUBY
          require "#{File.dirname(SERVE)}/support/benchmarks/serve_benchmark"
          row = BigFile.new("nowhere")
          row.figures["nghttpd"].update(cost: [0.1, 0.2, 0.4], rate: [1.0, 1.0, 1.0])
          row.figures["spate-serve"].update(cost: [0.13, 0.25, 0.53], rate: [0.79, 0.9, 0.7])
          puts ServeReport.new([row], title: "", runs: 3, versions: {}).verdicts.map { |cells| cells.drop(2).join(" ") }
        RUBY
        output, status = Open3.capture2e(RbConfig.ruby, "-e", program)

        assert_predicate status, :success?, output
        assert_equal "CPU s/GB: 1.30 × nghttpd ≤ 1.3 × hit\nrate: 0.790 × nghttpd ≥ 0.8 × MISS\n",
                     output.force_encoding("UTF-8")
      end

      # Each method of framing sends the bytes of the file.
      def test_ways_of_framing
        skip "curl is needed" unless client("curl")
        path = write("file.bin", Random.new(3).bytes(300_000))
        %w[arrays views].each do |way|
          port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
          pid = Process.spawn(RbConfig.ruby, File.join(FRAMING, "#{way}.rb"), port.to_s, path,
                              File.join(folder, "p.json"))
          got = File.join(folder, way)
          system("curl", "-sS", "--http2-prior-knowledge", "--retry", "20", "--retry-connrefused", "--retry-delay", "1",
                 "-m", "20", "-o", got, "http://127.0.0.1:#{port}/")

          assert_equal File.binread(path), File.binread(got), way
        ensure
          Process.kill(:KILL, pid)
          Process.wait(pid)
        end
      end
    end
  end
end
