# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

module Spate
  module Server
    # Installs a gem for tests with `gem`, in a folder below tmp/. bin/setup runs this file to install the profilers.
    module ScratchGem
      FOLDER = File.expand_path("../../../tmp/server-gems", __dir__)
      SECONDS = "120"

      # Returns the value of GEM_HOME, or nil if the gem cannot be installed.
      def self.home(name)
        home = File.join(FOLDER, RUBY_VERSION, name)
        FileUtils.mkdir_p(home)
        File.open(File.join(home, "lock"), File::CREAT | File::RDWR) do |lock|
          lock.flock(File::LOCK_EX)
          installed?(home, name) || install(home, name) ? home : nil
        end
      end

      def self.installed?(home, name) = Dir[File.join(home, "specifications", "#{name}-*.gemspec")].any?

      def self.install(home, name)
        command = ["timeout", SECONDS, RbConfig.ruby, "-S", "gem", "install", name, "--no-document", "--install-dir",
                   home]
        _, status = Open3.capture2e({ "GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYOPT" => nil }, *command)
        status.success?
      end
      private_class_method :installed?, :install
    end
  end
end

if $PROGRAM_NAME == __FILE__
  ["stackprof", ("vernier" if RUBY_VERSION >= "3.2.1")].compact.each do |name|
    Spate::Server::ScratchGem.home(name) || warn("bin/setup: tests with the gem #{name} are left out")
  end
end
