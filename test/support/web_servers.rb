# frozen_string_literal: true

require_relative "server_program"

# nginx, Apache and `spate serve --cache` as servers of a cache, as documented in docs/team-cache.md. home: a folder of
# the test; the servers' files are in home/cache.
module WebServers
  USER = "ci"
  PASSWORD = "secret"
  MODULES = %w[mpm_event alias authn_core authn_file authz_core authz_user auth_basic dav dav_fs].freeze
  APACHE = "/usr/lib/apache2/modules"

  module_function

  # Starts nginx; returns nil if it is not installed. writable: false leaves out the configuration for writing.
  def nginx(home, writable: true)
    program = ServerProgram.find("nginx") or return
    port = ServerProgram.free_port
    site = prepared(home, "nginx", port, "/etc/nginx/spate-writers")
    site = site.gsub(/^ *(?:dav_methods|create_full_put_path) .*;|^ *limit_except .*?\}/m, "") unless writable
    File.write("#{home}/nginx.conf", <<~CONF)
      #{"user root;" if Process.uid.zero?}
      pid #{home}/nginx.pid;
      error_log stderr;
      events {}
      http {
        access_log off;
        #{%w[fastcgi proxy scgi uwsgi].map { |name| "#{name}_temp_path #{home}/tmp-#{name};" }.join("\n  ")}
        #{site}
      }
    CONF
    ServerProgram.new(program, "-p", home, "-c", "#{home}/nginx.conf", "-e", "stderr", "-g", "daemon off;",
                      port: port, log: "#{home}/log")
  end

  def apache(home)
    program = ServerProgram.find("apache2")
    return unless program && MODULES.all? { |name| File.exist?("#{APACHE}/mod_#{name}.so") }

    port = ServerProgram.free_port
    site = prepared(home, "apache", port, "/etc/apache2/spate-writers")
    FileUtils.mkdir_p(%w[ac cas].map { |name| "#{home}/cache/#{name}" })
    FileUtils.chown_R("www-data", nil, home) if Process.uid.zero?
    File.write("#{home}/apache.conf", <<~CONF)
      #{MODULES.map { |name| "LoadModule #{name}_module #{APACHE}/mod_#{name}.so" }.join("\n")}
      ServerRoot #{home}
      ServerName localhost
      PidFile #{home}/apache.pid
      ErrorLog #{home}/error.log
      #{"User www-data\nGroup www-data" if Process.uid.zero?}
      #{site}
    CONF
    ServerProgram.new(program, "-DFOREGROUND", "-f", "#{home}/apache.conf", port: port, log: "#{home}/log")
  end

  # Starts `spate serve --cache`. Its tokens are passwords of any user. reader: the token for reading; nil: all may
  # read.
  def node(home, *options, reader: nil, env: {})
    port = ServerProgram.free_port
    tokens = { "write" => PASSWORD, "read" => reader }.compact.flat_map do |kind, token|
      File.write("#{home}/#{kind}", "#{token}\n")
      ["--cache-#{kind}-token", "#{home}/#{kind}"]
    end
    root = File.expand_path("../..", __dir__)
    ServerProgram.new(RbConfig.ruby, "--disable-gems", "-I#{root}/lib", "#{root}/exe/spate", "serve", "--cache",
                      "#{home}/cache", "--port", port.to_s, *tokens, *options, env: env, port: port, log: "#{home}/log")
  end

  # The page's configuration, for a folder of the test and a free port.
  def prepared(home, language, port, writers)
    File.chmod(0o755, home)
    FileUtils.mkdir_p("#{home}/cache")
    digest, = Open3.capture2("openssl", "passwd", "-apr1", PASSWORD)
    File.write("#{home}/writers", "#{USER}:#{digest}")
    ServerProgram.documented("team-cache.md", language).gsub("/srv/spate-cache", "#{home}/cache")
                 .gsub(writers, "#{home}/writers").gsub("/var/lock/apache2", home)
                 .gsub("*:8080", "127.0.0.1:#{port}").gsub(/(listen) 8080/i, "\\1 127.0.0.1:#{port}")
  end
  private_class_method :prepared
end
