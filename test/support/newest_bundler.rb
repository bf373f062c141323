# frozen_string_literal: true

require "open3"
require "rbconfig"

# The newest Bundler that runs on this Ruby, in a separate folder. Tests compare with it.
# bin/setup runs this file to download it.
module NewestBundler
  HOME = File.expand_path("../../tmp/bundler/#{RbConfig::CONFIG["ruby_version"]}", __dir__)

  module_function

  # The version in SPATE_TEST_BUNDLER (which must be installed), or that bin/setup downloaded; else nil.
  def version = ENV["SPATE_TEST_BUNDLER"] || folder&.then { |path| path[/bundler-(.+)\z/, 1] }

  # Variables with which a child process finds it. A final ":" adds the default folders.
  def environment = folder ? { "GEM_PATH" => "#{HOME}:" } : {}

  # The folder of the downloaded Bundler, with lib/ and exe/; nil if there is none.
  def folder
    Dir.glob("#{HOME}/gems/bundler-*").max_by { |path| Gem::Version.new(path[/bundler-(.+)\z/, 1]) }
  end

  # Like folder, but downloads Bundler if it is missing. Raises RuntimeError.
  def fetch
    install unless folder
    folder
  end

  # RubyGems of Debian's Ruby 3.1 does not select a compatible version, but its error message contains one.
  def install(version = nil)
    command = [RbConfig.ruby, "-S", "gem", "install", "bundler", "--install-dir", HOME, "--no-document"]
    command.push("-v", version) if version
    output, status = Open3.capture2e({ "GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYOPT" => nil }, *command)
    return if status.success?

    fitting = output[/gem install bundler -v (\S+?)`?$/, 1]&.delete("`'") || output[/was ([\d.]+)\./, 1]
    raise "no Bundler could be installed:\n#{output}" if fitting.nil? || fitting == version

    install(fitting)
  end
  private_class_method :install
end

if $PROGRAM_NAME == __FILE__
  begin
    NewestBundler.fetch
  rescue StandardError => e
    warn "bin/setup: tests against another Bundler are left out: #{e.message.lines.last(2).join.strip}"
  end
end
