# frozen_string_literal: true

require "fileutils"

# The server of nghttp2: HTTP/2 only, with one thread.
class Nghttpd < Contender
  def version = output("nghttpd", "--version")[/[\d.]+\d/]

  def missing(workload)
    return "it supports HTTP/2 only" unless workload.h2?
    return "it serves files only" if workload.kind != :files

    absent("nghttpd")
  end

  def command(workload, port)
    keys = workload.tls ? [workload.key, workload.certificate] : []
    clear = workload.tls ? [] : ["--no-tls"]
    [{}, ["nghttpd", *clear, "--address=127.0.0.1", "-d", workload.files, port.to_s, *keys]]
  end
end

# h2o with one thread and without a log.
class H2o < Contender
  def version = output(Contender.program("h2o"), "--version")[/[\d.]+\d/]

  def missing(workload) = workload.kind == :files ? absent("h2o") : "it serves files only"

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

# nginx with one worker and sendfile, without a log.
class Nginx < Contender
  def version = output(Contender.program("nginx"), "-v")[%r{nginx/([\d.]+)}, 1]

  def missing(workload) = workload.kind == :files ? absent("nginx") : "it serves files only"

  def command(workload, port)
    home = File.join(workload.folder, "nginx-#{port}")
    FileUtils.mkdir_p(home)
    path = File.join(home, "nginx.conf")
    File.write(path, configuration(workload, port, home))
    [{}, [Contender.program("nginx"), "-p", home, "-e", File.join(home, "error.log"), "-c", path]]
  end

  private

  def configuration(workload, port, home)
    temporary = %w[client_body proxy fastcgi uwsgi scgi].map { |kind| "#{kind}_temp_path #{home}/#{kind};" }.join("\n")
    <<~CONF
      #{"user root;" if Process.uid.zero?}
      worker_processes 1;
      worker_rlimit_nofile 8192;
      daemon off;
      pid #{home}/nginx.pid;
      events { worker_connections 4096; }
      http {
        access_log off;
        sendfile on;
        keepalive_requests 10000000;
        types { application/octet-stream bin; text/plain txt; }
        #{temporary}
        server {
          listen 127.0.0.1:#{port}#{" ssl" if workload.tls}#{" http2" if workload.h2?};
          #{"ssl_certificate #{workload.certificate}; ssl_certificate_key #{workload.key};" if workload.tls}
          root #{workload.files};
        }
      }
    CONF
  end
end
