# frozen_string_literal: true

require "open3"

# Runs curl and h2load with a time limit. Raises Failed unless their output confirms that all requests succeeded.
module Clients
  SECONDS = 90

  Failed = Class.new(StandardError)

  module_function

  def download(url, workload, size)
    output = run("curl", "-sS", "-k", *protocol(workload), "-o", File::NULL, "-m", SECONDS.to_s,
                 "-w", "%{http_code} %{http_version} %{size_download}", url)
    expected = "200 #{workload.h2? ? "2" : "1.1"} #{size}"
    raise Failed, "expected #{expected}, got #{output}" if output.strip != expected
  end

  def upload(url, workload, path)
    size = File.size(path)
    output = run("curl", "-sS", "-k", *protocol(workload), "-X", "POST", "-H", "expect:", "-T", path,
                 "-m", SECONDS.to_s, "-w", " %{http_code} %{http_version}", url)
    expected = "#{size} 200 #{workload.h2? ? "2" : "1.1"}"
    raise Failed, "expected #{expected}, got #{output}" if output.strip != expected
  end

  def requests(url, workload, count)
    output = run("h2load", "-n", count.to_s, "-c", "10", *(workload.h2? ? ["-m", "10"] : ["--h1"]),
                 "--connection-active-timeout=#{SECONDS}", url)
    raise Failed, output.lines.grep(/requests:|status/).join if output[/(\d+) 2xx/, 1].to_i != count
  end

  # Uploads entries that the server at `base` has not stored yet. entries: { path => file }.
  def put(base, entries)
    lines = entries.flat_map { |path, file| [%(url = "#{base}#{path}"), %(upload-file = "#{file}")] }
    output = curl(lines, "-H", "expect:", "-w", "%{http_code} %{size_upload}\n")
    expected = entries.values.sum { |file| File.size(file) }
    raise Failed, output.lines.tally.first(3).to_s unless sum(output, "201") == expected
  end

  # Downloads files. names: their URLs. bytes: the size of each.
  def get(names, bytes)
    lines = names.flat_map { |name| [%(url = "#{name}"), %(output = "/dev/null")] }
    output = curl(lines, "-w", "%{http_code} %{size_download}\n")
    raise Failed, output.lines.tally.first(3).to_s unless sum(output, "200") == names.size * bytes
  end

  # Sends `count` requests for the URLs in the file `list`.
  def each_of(list, count)
    output = run("h2load", "--h1", "-n", count.to_s, "-c", "10", "-i", list)
    raise Failed, output.lines.grep(/requests:|status/).join if output[/(\d+) 2xx/, 1].to_i != count
  end

  def curl(lines, *words)
    output, errors, status = Open3.capture3("timeout", "-k", "2", SECONDS.to_s, "curl", "-sS", "--http1.1", *words,
                                            "-K", "-", stdin_data: lines.join("\n"))
    status.success? ? output : raise(Failed, "curl: #{errors.lines.last}")
  end

  def sum(output, status) = output.lines.sum { |line| line.start_with?(status) ? line.split.last.to_i : 0 }

  def protocol(workload)
    return ["--http1.1"] unless workload.h2?

    workload.tls ? ["--http2"] : ["--http2-prior-knowledge"]
  end

  def run(*command)
    output, status = Open3.capture2e("timeout", "-k", "2", (SECONDS + 5).to_s, *command)
    raise Failed, "#{command.first}: #{output.lines.last(3).join.strip}" unless status.success?

    output
  end
end
