# frozen_string_literal: true

# Runs only the downloads of a cold install, with the same client. Arguments: SOURCE TARGET NAME.gem...

$LOAD_PATH.unshift File.expand_path("../../lib", __dir__)
require "spate"
require "fileutils"

source, target, *names = ARGV
FileUtils.mkdir_p(target)
settings = Spate::Settings.load(root: Dir.pwd)
client = Spate::Registry::Client.new(settings: settings, home: target)
origin = Spate::Lockfile::GemSource.new([source])
queue = Thread::Queue.new
names.each { |name| queue << name.delete_suffix(".gem") }
queue.close
threads = Array.new(Spate::Install::Fetch::Sources::CONNECTIONS) do
  Thread.new do
    while (full_name = queue.pop)
      name, version = full_name.match(/\A(.+?)-(\d.*)\z/).captures
      version, platform = version.split("-", 2)
      package = Spate::Package.new(name: name, version: version, platform: platform || "ruby", source: origin)
      client.fetch(package, to: "#{target}/#{full_name}.gem")
    end
  end
end
threads.each(&:join)
