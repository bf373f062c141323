# frozen_string_literal: true

require "test_helper"

module Spate
  module Gemfile
    class LocationTest < Minitest::Test
      def find(relative = ".", env: {}, **options)
        Gemfile.find(File.expand_path(relative, folder), { "HOME" => File.join(folder, "home") }.merge(env), **options)
      end

      def places(location) = location.to_a.map { |path| path.delete_prefix("#{folder}/") }

      def test_nearest_gemfile_in_parent_folders
        write("app/Gemfile", "")
        FileUtils.mkdir_p(File.join(folder, "app/lib/deep"))
        assert_equal ["app/Gemfile", "app/Gemfile.lock", "app"], places(find("app/lib/deep"))
        write("app/lib/gems.rb", "")
        write("app/lib/Gemfile", "")
        assert_equal ["app/lib/gems.rb", "app/lib/gems.locked", "app/lib"], places(find("app/lib/deep"))
      end

      def test_folder_named_gemfile_is_ignored
        write("app/Gemfile", "")
        FileUtils.mkdir_p(File.join(folder, "app/lib/Gemfile"))
        assert_equal "app", places(find("app/lib")).last
      end

      def test_gemfile_by_option_environment_and_setting
        write("app/Gemfile", "")
        write("app/gemfiles/rails7", "")
        write("app/gemfiles/rails8", "")
        assert_equal ["app/gemfiles/rails7", "app/gemfiles/rails7.lock", "app/gemfiles"],
                     places(find("app", env: { "BUNDLE_GEMFILE" => "gemfiles/rails7" }))
        write("app/.bundle/config", "---\nBUNDLE_GEMFILE: \"gemfiles/rails8\"\n")
        assert_equal "app/gemfiles/rails8", places(find("app")).first
        assert_equal "app/gemfiles/rails7", places(find("app", gemfile: "gemfiles/rails7")).first
      end

      def test_a_lockfile_of_another_name
        write("app/Gemfile", "")
        assert_equal "app/other.lock", places(find("app", env: { "BUNDLE_LOCKFILE" => "other.lock" }))[1]
        write("app/.bundle/config", "---\nBUNDLE_LOCKFILE: \"third.lock\"\n")
        assert_equal "app/third.lock", places(find("app"))[1]
        assert_equal "app/other.lock", places(find("app", env: { "BUNDLE_LOCKFILE" => "other.lock" }))[1]
        refute_predicate find("app"), :lockfile?
      end

      def test_no_gemfile
        error = assert_raises(NotFound) { find(env: { "BUNDLE_GEMFILE" => "nowhere" }) }
        assert_match(%r{/nowhere does not exist}, error.message)
        above = [File.dirname(folder), "/"].find { |path| File.exist?(File.join(path, "Gemfile")) }
        skip "there is a Gemfile in #{above}, above the folder for temporary files" if above
        assert_match(/no Gemfile/, assert_raises(NotFound) { find }.message)
      end
    end
  end
end
