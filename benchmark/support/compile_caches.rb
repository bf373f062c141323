# frozen_string_literal: true

require "fileutils"

module Benchmark
  # Manages the compile caches of an application in Spate's store.
  module CompileCaches
    module_function

    def folder(app) = "#{app.home}/spate/store/v1/compile-cache"

    # Waits until nothing was written for a second and no builder holds its lock, for at most a minute.
    def settle(app)
      120.times do
        break if quiet?(app)

        sleep 0.5
      end
    end

    def quiet?(app)
      return true unless File.directory?(folder(app))

      locks = Dir.glob("#{folder(app)}/**/*.lock")
      return false unless locks.all? { |path| File.open(path) { |file| file.flock(File::LOCK_EX | File::LOCK_NB) } }

      newest = Dir.glob("#{folder(app)}/**/*").filter_map { |path| File.stat(path).mtime if File.exist?(path) }.max
      newest.nil? || Time.now - newest > 1
    end

    def forget(app)
      settle(app)
      FileUtils.rm_rf(folder(app))
    end

    # Copies the current compile caches, for #restore.
    def keep(app)
      settle(app)
      FileUtils.rm_rf("#{app.home}/compile-cache-kept")
      FileUtils.cp_r(folder(app), "#{app.home}/compile-cache-kept", preserve: true)
    end

    def restore(app)
      settle(app)
      FileUtils.rm_rf(folder(app))
      FileUtils.cp_r("#{app.home}/compile-cache-kept", folder(app), preserve: true)
    end

    # The number of compile caches, and their total size in bytes.
    def size(app)
      paths = Dir.glob("#{folder(app)}/**/*.compiled")
      [paths.length, paths.sum { |path| File.size(path) }]
    end
  end
end
