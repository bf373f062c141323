# frozen_string_literal: true

require "fileutils"
require_relative "spate_serve"

# A server that stores uploads, in a new folder for each start.
class CacheContender < Contender
  # Folders with more files are removed only at the end. When ext4 creates a file, it skips each inode that was freed in
  # the last seconds, so removing many files would slow down the next server.
  FEW = 100

  def stop
    super
  ensure
    FileUtils.rm_rf(@store) if @store && Dir.glob("#{@store}/**/*").size < FEW
  end

  private

  def store(workload, port) = @store = File.join(workload.folder, "store-#{port}")
end

# nginx with its DAV module, one worker and sendfile, without a log. Like spate-serve, it writes an upload to a
# temporary file and renames it.
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

# This project's server.
class SpateCache < CacheContender
  def name = "spate-serve"
  def options = []

  def command(workload, port)
    [{}, [*SpateServe::COMMAND, *options, "--cache", store(workload, port), "--cache-open", "--port", port.to_s]]
  end
end

# This project's server with YJIT.
class SpateCacheYJIT < SpateCache
  def name = "spate-serve --yjit"
  def options = ["--yjit"]
  def missing(_workload) = defined?(RubyVM::YJIT) ? nil : "this Ruby has no YJIT"
end
