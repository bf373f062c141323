# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "rubygems"
require "socket"
require "timeout"

module Spate
  module Server
    # Real gems for real applications: Rack, Sinatra and Rails, installed by Spate from the gem source in use. Made once
    # a checkout, under tmp.
    class RackApps
      ROOT = File.expand_path("../../..", __dir__)
      FOLDER = File.join(ROOT, "tmp/rack-apps-#{RUBY_VERSION[/\A\d+\.\d+/]}")
      PATHS = [File.join(ROOT, "server/lib"), File.join(ROOT, "lib")].freeze
      # Gems that Ruby itself brings need not be compiled.
      NATIVE = %w[bigdecimal cgi date erb io-console json psych racc stringio strscan].freeze
      # Version of what is below; another one makes it anew.
      EDITION = "1"
      SECONDS = 60

      # The folder, with its bundle. Nil, and a reason, where it cannot be made.
      def self.make
        FileUtils.mkdir_p(FOLDER)
        File.open("#{FOLDER}.lock", "w") do |lock|
          lock.flock(File::LOCK_EX)
          next if File.exist?("#{FOLDER}/.made") && File.read("#{FOLDER}/.made") == EDITION

          install
          File.write("#{FOLDER}/.made", EDITION)
        end
        FOLDER
      end

      def self.install
        FileUtils.rm_rf(Dir.glob("#{FOLDER}/*"))
        File.write("#{FOLDER}/Gemfile", gemfile)
        run!("bundle", "lock")
        run!(RbConfig.ruby, "--disable-gems", "-I#{ROOT}/lib", "#{ROOT}/exe/spate", "install", "--quiet",
             "--boot-images=off")
      end
      private_class_method :install

      def self.env
        { "HOME" => FOLDER, "SPATE_HOME" => "#{FOLDER}/spate", "XDG_CACHE_HOME" => nil, "RUBYOPT" => nil, "CI" => nil,
          "BUNDLE_USER_HOME" => "#{FOLDER}/.bundle", "BUNDLE_PATH" => "#{FOLDER}/vendor",
          "BUNDLE_GEMFILE" => "#{FOLDER}/Gemfile", "BUNDLE_VERSION" => "system", "GEM_HOME" => nil, "GEM_PATH" => nil,
          "BUNDLE_SILENCE_ROOT_WARNING" => "true", "BUNDLE_FROZEN" => nil, "RUBYLIB" => nil }
      end

      def self.run!(*command)
        told, status = Open3.capture2e(env, *command, chdir: FOLDER, stdin_data: "")
        raise "#{command.join(" ")} failed:\n#{told}" unless status.success?
      end
      private_class_method :run!

      def self.gemfile
        pins = { "rack" => "~> 3.1", "rackup" => "~> 2.1", "sinatra" => "~> 4.0" }
        pins.merge!("nokogiri" => "~> 1.16.0", "irb" => "~> 1.14.0", "rdoc" => "~> 6.6.0") if RUBY_VERSION < "3.2"
        pins["railties"] = pins["actionpack"] = RUBY_VERSION < "3.2" ? "~> 7.1.0" : "~> 8.1.0"
        NATIVE.each { |name| (version = own_version(name)) && pins[name] = version }
        source = Gem.sources.to_a.first.to_s
        ["source #{source.dump}", *pins.map { |pin| "gem #{pin.map(&:dump).join(", ")}" }, ""].join("\n")
      end

      def self.own_version(name)
        Gem::Specification.find_all_by_name(name).find(&:default_gem?)&.version&.to_s
      end
      private_class_method :gemfile, :own_version

      # A server as a process; the block makes its command out of its port.
      attr_reader :port, :log

      def initialize(folder, &command)
        @port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
        @log = File.join(folder, "server.log")
        env = RackApps.env.merge("RUBYLIB" => PATHS.join(":"))
        @pid = Process.spawn(env, *command.call(@port), chdir: folder, %i[out err] => @log)
        Timeout.timeout(SECONDS) { sleep 0.05 until answering? }
      end

      # Answers the exit code.
      def stop(signal = :INT)
        Process.kill(signal, @pid)
        Timeout.timeout(SECONDS) { Process.wait(@pid) }
        $?.exitstatus
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
