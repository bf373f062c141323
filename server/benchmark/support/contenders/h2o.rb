# frozen_string_literal: true

# One thread, no log.
class H2o < Contender
  def version = output(Contender.program("h2o"), "--version")[/[\d.]+\d/]

  def missing(workload) = workload.kind == :files ? absent("h2o") : "it serves files"

  def command(workload, port)
    path = File.join(workload.folder, "h2o-#{port}.conf")
    File.write(path, configuration(workload, port))
    [{}, [Contender.program("h2o"), "-c", path]]
  end

  private

  def configuration(workload, port)
    tls = "\n  ssl:\n    certificate-file: #{workload.certificate}\n    key-file: #{workload.key}" if workload.tls
    <<~YAML
      listen:
        host: 127.0.0.1
        port: #{port}#{tls}
      num-threads: 1
      user: #{Process.uid.zero? ? "root" : ENV.fetch("USER", "nobody")}
      hosts:
        default:
          paths:
            "/":
              file.dir: #{workload.files}
    YAML
  end
end
