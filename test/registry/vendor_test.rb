# frozen_string_literal: true

require "test_helper"
require "spate"

module Spate
  class RegistryVendorTest < Minitest::Test
    Package = Struct.new(:name, :version, :platform, :sha256) do
      def full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
    end

    def test_each_platform_has_its_own_archive
      package = Package.new("alpha", "1.0", "x86_64-linux")
      plain = write("app/vendor/cache/alpha-1.0.gem", "plain")

      assert_nil vendor.find(package)
      assert_equal plain, vendor.find(Package.new("alpha", "1.0", "ruby"))
      own = write("app/vendor/cache/alpha-1.0-x86_64-linux.gem", "own")
      assert_equal own, vendor.find(package)
      assert_nil vendor.find(Package.new("beta", "1.0", "ruby"))
    end

    def test_variants_in_the_folder
      assert_empty vendor.versions("alpha")
      %w[alpha-1.0 alpha-1.0-x86_64-linux-musl alpha-1.1.pre alpha-beta-2.0 alphabet-3.0].each do |name|
        write("app/vendor/cache/#{name}.gem", "")
      end
      rows = vendor.versions("alpha").map { |row| [row.version, row.platform] }

      assert_equal [%w[1.0 x86_64-linux-musl], %w[1.0 ruby], %w[1.1.pre ruby]], rows
    end

    def test_the_folder_is_a_setting
      path = write("app/gems/alpha-1.0.gem", "x")

      assert_equal path, vendor(cache_path: "gems").find(Package.new("alpha", "1.0", "ruby"))
    end

    def test_other_folders_count_only_with_the_lockfiles_checksum
      path = write("rubygems/cache/alpha-1.0.gem", "content")
      others = [File.dirname(path)]

      assert_nil vendor(others: others).find(Package.new("alpha", "1.0", "ruby", nil))
      assert_nil vendor(others: others).find(Package.new("alpha", "1.0", "ruby", "0" * 64))
      sum = Registry::Archive.sha256(path)
      assert_equal path, vendor(others: others).find(Package.new("alpha", "1.0", "ruby", sum))
    end

    private

    def vendor(others: [], **settings)
      Registry::Vendor.for(settings: settings, root: File.join(folder, "app"), others: others)
    end
  end
end
