# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require_relative "../../test/support/newest_bundler"

module Benchmark
  # The compared tools. Each has a separate HOME, store and cache.
  module Peers
    ROOT = File.expand_path("../..", __dir__)
    WORK = ENV["SPATE_BENCHMARK_WORK"] || File.join(ROOT, "tmp/benchmark")

    module_function

    # The folder of the newest Bundler for this Ruby, which is downloaded only once.
    def newest_bundler = NewestBundler.fetch

    # The version of #newest_bundler.
    def bundler = File.basename(newest_bundler).delete_prefix("bundler-")

    def bundler_command(*arguments)
      folder = newest_bundler
      [RbConfig.ruby, "-I#{folder}/lib", "#{folder}/exe/bundle", *arguments]
    end

    # The launcher that `spate setup` creates, in the benchmark's folder. It is recreated, since an existing one may
    # belong to another checkout of Spate.
    def launcher
      @launcher ||= begin
        bin = File.join(WORK, "bin")
        FileUtils.rm_rf(bin)
        FileUtils.mkdir_p(bin)
        system(RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/spate", "setup", "--dir", bin, out: File::NULL) ||
          raise("spate setup failed")
        File.join(bin, "spate")
      end
    end

    # An isolated environment: no outer bundle, home or cache.
    def clean_env(home)
      { "HOME" => home, "BUNDLE_USER_HOME" => "#{home}/.bundle", "SPATE_HOME" => "#{home}/spate",
        "XDG_CACHE_HOME" => "#{home}/.cache", "BUNDLE_PATH" => "vendor/bundle", "BUNDLE_VERSION" => "system",
        "BUNDLE_FROZEN" => "true", "BUNDLE_GEMFILE" => nil, "GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYOPT" => nil,
        "RUBYLIB" => nil, "BUNDLE_SILENCE_ROOT_WARNING" => "true", "BUNDLE_GLOBAL_GEM_CACHE" => nil, "CI" => "true" }
    end

    # Moves a tree to a trash folder, because deleting it would slow down the creation of files for minutes. The trash
    # is deleted at the end.
    def aside(path)
      return unless File.exist?(path)

      trash = File.join(WORK, "trash")
      FileUtils.mkdir_p(trash)
      File.rename(path, File.join(trash, "#{Process.pid}-#{Random.rand(1 << 48)}"))
    end

    def empty_trash = FileUtils.rm_rf(File.join(WORK, "trash"))
  end
end
