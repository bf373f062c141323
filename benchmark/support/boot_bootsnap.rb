# frozen_string_literal: true

require "support/peers"

module Benchmark
  # The newest bootsnap for this Ruby. It is installed outside of the applications' bundles, so that all are compared
  # with the same version. Its caches are at their default path in the application's tmp/cache.
  module BootBootsnap
    HOME = File.join(Peers::WORK, "bootsnap-#{RUBY_VERSION[/\A\d+\.\d+/]}")

    module_function

    def prepare
      return unless Dir.glob("#{HOME}/gems/bootsnap-*").empty?

      output, status = Open3.capture2e("gem", "install", "bootsnap", "--install-dir", HOME, "--no-document")
      raise "no bootsnap could be installed:\n#{output}" unless status.success?
    end

    def version
      prepare
      File.basename(Dir.glob("#{HOME}/gems/bootsnap-*").max).delete_prefix("bootsnap-")
    end

    # Variables for BootApp's config/boot.rb.
    def env
      prepare
      { "BOOT_WITH" => "bootsnap", "BOOTSNAP_LIB" => Dir.glob("#{HOME}/gems/*/lib").join(":"),
        "BOOTSNAP_CACHE_DIR" => "tmp/cache" }
    end

    # Removes bootsnap's cache, to simulate a first boot.
    def forget(app) = FileUtils.rm_rf("#{app.folder}/tmp/cache/bootsnap")
  end
end
