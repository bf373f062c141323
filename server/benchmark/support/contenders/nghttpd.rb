# frozen_string_literal: true

# nghttp2's server: HTTP/2 only, one thread.
class Nghttpd < Contender
  def version = output("nghttpd", "--version")[/[\d.]+\d/]

  def missing(workload)
    return "it speaks HTTP/2 only" unless workload.h2?
    return "it serves files" if workload.kind != :files

    absent("nghttpd")
  end

  def command(workload, port)
    keys = workload.tls ? [workload.key, workload.certificate] : []
    clear = workload.tls ? [] : ["--no-tls"]
    [{}, ["nghttpd", *clear, "--address=127.0.0.1", "-d", workload.files, port.to_s, *keys]]
  end
end
