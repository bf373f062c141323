# frozen_string_literal: true

require_relative "cache_contender"

# One worker, sendfile, no log; uploads go to a file beside and are renamed, as with spate-serve.
class NginxDav < CacheContender
  def name = "nginx"
  def version = output(Contender.program("nginx"), "-v")[%r{nginx/([\d.]+)}, 1]
  def missing(_workload) = absent("nginx")

  def command(workload, port)
    home = store(workload, port)
    FileUtils.mkdir_p("#{home}/files")
    path = File.join(home, "nginx.conf")
    File.write(path, configuration(home, port))
    [{}, [Contender.program("nginx"), "-p", home, "-e", File.join(home, "error.log"), "-c", path]]
  end

  private

  def configuration(home, port)
    temporary = %w[client_body proxy fastcgi uwsgi scgi].map { |kind| "#{kind}_temp_path #{home}/#{kind};" }.join("\n")
    <<~CONF
      #{"user root;" if Process.uid.zero?}
      worker_processes 1;
      daemon off;
      pid #{home}/nginx.pid;
      events { worker_connections 4096; }
      http {
        access_log off;
        sendfile on;
        keepalive_requests 10000000;
        client_max_body_size 0;
        #{temporary}
        server {
          listen 127.0.0.1:#{port};
          root #{home}/files;
          dav_methods PUT DELETE;
          create_full_put_path on;
        }
      }
    CONF
  end
end
