# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "rubygems"
require "socket"
require "support/hasty_compiler"
require "timeout"

module Spate
  module Server
    # Installs the gems of the applications in rack_apps/ with Spate, from the configured gem source, once per checkout,
    # below tmp/. An instance is a server process that runs one of them.
    class RackApps
      ROOT = File.expand_path("../../..", __dir__)
      PATHS = [File.join(ROOT, "server/lib"), File.join(ROOT, "bytes/lib")].freeze
      OLD = RUBY_VERSION < "3.2"
      # The gems of each bundle. "rack-2" is for versions before Rack 3.
      BUNDLES = {
        "rack-apps" => { "rack" => "~> 3.1", "rackup" => "~> 2.1", "sinatra" => "~> 4.0",
                         **(OLD ? { "nokogiri" => "~> 1.16.0", "irb" => "~> 1.14.0", "rdoc" => "~> 6.6.0" } : {}),
                         **%w[railties actionpack].to_h { |name| [name, OLD ? "~> 7.1.0" : "~> 8.1.0"] } },
        "rack-2" => { "rack" => "~> 2.2.0", "faye-websocket" => "~> 0.11.0" }
      }.freeze
      # Default gems of Ruby, which need not be compiled.
      NATIVE = %w[bigdecimal cgi date erb io-console json psych racc stringio strscan].freeze
      # Shared by the bundles, so that each gem is compiled once.
      STORE = File.join(ROOT, "tmp/rack-store-#{RUBY_VERSION[/\A\d+\.\d+/]}")
      # The version of the bundles. A new one rebuilds them.
      EDITION = "1"
      SECONDS = 60

      # Installs a bundle unless it is complete. Returns its folder.
      def self.make(bundle = "rack-apps")
        FileUtils.mkdir_p(folder = folder(bundle))
        File.open("#{folder}.lock", "w") do |lock|
          lock.flock(File::LOCK_EX)
          next if File.exist?("#{folder}/.made") && File.read("#{folder}/.made") == EDITION

          install(bundle, folder)
          File.write("#{folder}/.made", EDITION)
        end
        folder
      end

      def self.folder(bundle) = File.join(ROOT, "tmp/#{bundle}-#{RUBY_VERSION[/\A\d+\.\d+/]}")

      def self.install(bundle, folder)
        FileUtils.rm_rf(Dir.glob("#{folder}/*"))
        File.write("#{folder}/Gemfile", gemfile(BUNDLES.fetch(bundle)))
        run!(bundle, "bundle", "lock")
        run!(bundle, RbConfig.ruby, "--disable-gems", "-I#{ROOT}/lib", "#{ROOT}/exe/spate", "install", "--quiet",
             "--compile-cache=off", "PATH" => HastyCompiler.path("#{STORE}/hasty"))
      end
      private_class_method :install

      def self.env(bundle = "rack-apps")
        folder = folder(bundle)
        { "HOME" => folder, "SPATE_HOME" => "#{STORE}/spate", "XDG_CACHE_HOME" => nil, "RUBYOPT" => nil, "CI" => nil,
          "BUNDLE_USER_HOME" => "#{folder}/.bundle", "BUNDLE_PATH" => "#{folder}/vendor",
          "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_VERSION" => "system", "GEM_HOME" => nil, "GEM_PATH" => nil,
          "BUNDLE_SILENCE_ROOT_WARNING" => "true", "BUNDLE_FROZEN" => nil, "RUBYLIB" => nil }
      end

      def self.run!(bundle, *command, **more)
        told, status = Open3.capture2e(env(bundle).merge(more), *command, chdir: folder(bundle), stdin_data: "")
        raise "#{command.join(" ")} failed:\n#{told}" unless status.success?
      end
      private_class_method :run!

      def self.gemfile(pins)
        own = NATIVE.to_h { |name| [name, own_version(name)] }.compact
        source = Gem.sources.to_a.first.to_s
        ["source #{source.dump}", *pins.merge(own).map { |pin| "gem #{pin.map(&:dump).join(", ")}" }, ""].join("\n")
      end

      def self.own_version(name)
        Gem::Specification.find_all_by_name(name).find(&:default_gem?)&.version&.to_s
      end
      private_class_method :gemfile, :own_version

      # The port and the log file of the server process, which `new` starts. The block of `new` returns the command for
      # a port.
      attr_reader :port, :log

      def initialize(folder, bundle = "rack-apps", &command)
        @port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
        @log = File.join(folder, "server.log")
        env = RackApps.env(bundle).merge("RUBYLIB" => PATHS.join(":"))
        @pid = Process.spawn(env, *command.call(@port), chdir: folder, %i[out err] => @log)
        Timeout.timeout(SECONDS) { sleep 0.05 until answering? }
      end

      # Returns the exit code.
      def stop(signal = :INT)
        Process.kill(signal, @pid)
        wait
      end

      # Waits for the end of the process. Returns the exit code.
      def wait
        Timeout.timeout(SECONDS) { Process.wait(@pid) }
        $?.exitstatus
      end

      # Returns the paths of the open files of the process.
      def files
        Dir["/proc/#{@pid}/fd/*"].filter_map { |link| File.readlink(link) rescue nil } # rubocop:disable Style/RescueModifier
      end

      # Stops the process while the block runs.
      def pause
        Process.kill(:STOP, @pid)
        yield
      ensure
        Process.kill(:CONT, @pid)
      end

      private

      def answering?
        raise "the server ended:\n#{File.read(@log)}" if Process.wait(@pid, Process::WNOHANG)

        TCPSocket.open("127.0.0.1", @port).close
        true
      rescue Errno::ECONNREFUSED
        false
      end
    end
  end
end
