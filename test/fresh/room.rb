# frozen_string_literal: true

require "fileutils"
require_relative "inside"
require_relative "sources"

module Fresh
  # A separate system for one command. It is unpacked, used and removed, also after an interrupt.
  class Room
    USER = "somebody"

    def initialize(base, options)
      @base = base
      @options = options
      @folder = File.join(base.cache, options.keep? ? "#{base.name}-kept" : "#{base.name}-#{Process.pid}")
      @inside = Inside.new(@folder)
    end

    # Returns the command's exit status.
    def run
      sweep
      locked do
        @base.ready
        @base.unpack(@folder) unless made?
        furnish
        there = ["sh", "-c", 'cd /project && exec "$@"', "sh", *as_user(@options.command)]
        status = Inside.perform(@inside.command(there, "SPATE_TEST_APPS" => "/apps"))
        status.exitstatus || (128 + status.termsig)
      ensure
        remove(@folder) unless @options.keep?
      end
    end

    private

    def lock_path = "#{@folder}.room"
    def made? = File.exist?(File.join(@folder, "project"))

    def locked
      FileUtils.mkdir_p(@base.cache)
      File.open(lock_path, "w") do |lock|
        lock.flock(File::LOCK_EX)
        yield
      end
    end

    # Removes the rooms that killed processes left.
    def sweep
      Dir[File.join(@base.cache, "*.room")].each do |path|
        next if path.end_with?("-kept.room")

        File.open(path) { |lock| remove(path.delete_suffix(".room")) if lock.flock(File::LOCK_EX | File::LOCK_NB) }
      end
    end

    def furnish
      @inside.lend
      Sources.new(PROJECT).copy(File.join(@folder, "project"), tree: @options.tree?)
      apps = ENV["SPATE_TEST_APPS"].to_s
      FileUtils.cp_r(apps, FileUtils.rm_rf("#{@folder}/apps").first) if File.directory?(apps)
    end

    def as_user(words)
      return words unless @options.user?

      prepare = "id #{USER} 2>/dev/null || useradd -m #{USER}; bin/setup --quiet; chown -R #{USER} .; exec \"$@\""
      %W[sh -c #{prepare} sh runuser -u #{USER} -- env HOME=/home/#{USER}] + words
    end

    def remove(folder) = FileUtils.rm_rf([folder, "#{folder}.room"], secure: true)
  end
end
