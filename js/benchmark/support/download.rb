# frozen_string_literal: true

# Downloads the packages of a restore with Spate's client, and does nothing else.
#
#   download.rb PROJECT TARGET      PROJECT contains a pnpm-lock.yaml

$LOAD_PATH.unshift File.expand_path("../../lib", __dir__), File.expand_path("../../../lib", __dir__)
require "spate"
require "fileutils"
require "psych"

project, target = ARGV
FileUtils.mkdir_p(target)
client = Spate::JS::Registry::Client.new(configuration: Spate::JS::Configuration.load(root: project, env: ENV.to_h))
queue = Thread::Queue.new
Psych.safe_load_file("#{project}/pnpm-lock.yaml")["packages"].each_key { |key| queue << key }
queue.close
threads = Array.new(client.jobs) do
  Thread.new do
    while (key = queue.pop)
      name, _, version = key.rpartition("@")
      client.fetch(Spate::JS::Package.new(name: name, version: version), to: "#{target}/#{key.tr("/", "+")}.tgz")
    end
  end
end
threads.each(&:join)
