# frozen_string_literal: true

require "json"
require "rbconfig"
require "support/team/line"

module Benchmark
  module Team
    # The servers at the far end of the line, each with its own port: a gem source of static files; nginx as a cache,
    # configured as in docs/team-cache.md; a second nginx to which entries are sent; and spate-serve.
    class Far
      PORTS = { source: 8080, nginx: 8081, sent: 8082, serve: 8083, admin: 8084, refusing: 8085 }.freeze
      WRITER = "ci:secret"
      SERVE = File.expand_path("../../../server/exe/spate-serve", __dir__)

      # folder: for the servers' data. mirror: folder of the gem source.
      def initialize(line, folder, mirror)
        @line = line
        @folder = folder
        @mirror = mirror
        @pids = {}
      end

      def start
        FileUtils.mkdir_p([@folder, kept(:nginx), kept(:sent)])
        FileUtils.rm_f(Dir.glob(log("*"))) # their last lines may be incomplete
        write
        spawn(:nginx, ServerProgram.find("nginx"), "-p", @folder, "-c", "#{@folder}/nginx.conf", "-e", "stderr",
              "-g", "daemon off;")
        serve
        self
      rescue StandardError
        stop
        raise
      end

      # Restarts spate-serve with an empty cache.
      def empty
        end_of(:serve)
        FileUtils.rm_rf(kept(:serve))
        serve
      end

      def url(name, host: Line::FAR, userinfo: nil)
        "http://#{"#{userinfo}@" if userinfo}#{host}:#{PORTS.fetch(name)}"
      end

      # The folder with a cache's entries.
      def kept(name) = "#{@folder}/#{name}"

      # Requests to a server since the last call: [["GET", "/cas/…", 200], …]
      def requests(name)
        path = log(name)
        sleep 1.2 # both servers write their log once a second
        lines = File.exist?(path) ? File.readlines(path, chomp: true) : []
        File.truncate(path, 0) if File.exist?(path)
        lines.map { |line| JSON.parse(line).values_at("method", "target", "status") }
      end

      def stop
        end_of(@pids.keys.last) until @pids.empty?
      end

      private

      # Reuses the entries of earlier runs, because sending them takes minutes.
      def serve
        FileUtils.mkdir_p(kept(:serve))
        File.write("#{@folder}/token", WRITER.split(":").last)
        spawn(:serve, RbConfig.ruby, SERVE, "--host", Line::FAR, "--port", PORTS[:serve].to_s,
              "--cache", kept(:serve), "--cache-write-token", "#{@folder}/token", "--access-log", log(:serve))
      end

      def log(name) = "#{@folder}/#{name}.log"

      def spawn(name, *command)
        @pids[name] = Process.spawn(*@line.at(:far, *command), in: File::NULL, %i[out err] => "#{@folder}/#{name}.out")
        wait(name)
      end

      def wait(name)
        probe = [RbConfig.ruby, "--disable-gems", "-rsocket", "-e", "TCPSocket.new(*ARGV)", Line::FAR,
                 PORTS[name].to_s]
        100.times do
          return if system(*@line.at(:far, *probe), err: File::NULL)
          raise "#{name} ended: #{File.read("#{@folder}/#{name}.out")}" if Process.wait(@pids[name], Process::WNOHANG)

          sleep 0.1
        end
        raise "#{name} does not listen: #{File.read("#{@folder}/#{name}.out")}"
      end

      def end_of(name)
        pid = @pids.delete(name) or return
        Process.kill(:TERM, pid)
        Process.wait(pid)
      rescue Errno::ESRCH, Errno::ECHILD
        nil
      end

      def write
        digest, = Open3.capture2("openssl", "passwd", "-apr1", WRITER.split(":").last)
        File.write("#{@folder}/writers", "#{WRITER.split(":").first}:#{digest}")
        File.write("#{@folder}/nginx.conf", <<~CONF)
          user root;
          worker_processes 2;
          pid #{@folder}/nginx.pid;
          error_log stderr;
          events {}
          http {
            log_format lines escape=json '{"method":"$request_method","target":"$uri","status":$status}';
            #{%w[fastcgi proxy scgi uwsgi].map { |each| "#{each}_temp_path #{@folder}/tmp-#{each};" }.join("\n  ")}
            server {
              listen #{Line::FAR}:#{PORTS[:source]};
              root #{@mirror};
              access_log off;
            }
            #{%i[nginx sent].map { |name| cache(name) }.join}
          }
        CONF
      end

      def cache(name)
        ServerProgram.documented("team-cache.md", "nginx")
                     .gsub("/srv/spate-cache", kept(name)).gsub("/etc/nginx/spate-writers", "#{@folder}/writers")
                     .gsub("listen 8080;", <<~CONF.chomp)
                       listen #{Line::FAR}:#{PORTS[name]};
                         access_log #{log(name)} lines buffer=64k flush=1s;
                     CONF
      end
    end
  end
end
