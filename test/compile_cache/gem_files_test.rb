# frozen_string_literal: true

require_relative "compile_cache_case"

module Spate
  module CompileCache
    class GemFilesTest < CompileCacheCase
      def test_files_that_a_boot_may_load
        code = %w[lib/a.rb lib/a/b.rb app/models/m.rb config/routes.rb spec/a_spec.rb test/t.rb]
        dir = gem_with("a-1", "exe/a" => "#!/usr/bin/env ruby\n5", "bin/setup" => "#!/bin/sh\n", "README.md" => "a",
                              "lib/rails/generators/a/templates/x.rb" => "<%= 8 %>", "lib/empty.rb" => "",
                              **code.to_h { |path| [path, "1"] })
        assert_equal %w[app/models/m.rb config/routes.rb exe/a lib/a.rb lib/a/b.rb],
                     gem_files(dir).files.map { |path| path.delete_prefix("#{dir}/") }
      end

      def test_require_paths_are_the_gems_own
        dir = gem_with("a-1", "lib/a.rb" => "1", "src/b.rb" => "2", "c.rb" => "3", "spec/c_spec.rb" => "4")
        assert_equal ["#{dir}/src/b.rb"], gem_files(dir, require_paths: ["#{dir}/src"]).files
        assert_equal %w[c.rb lib/a.rb src/b.rb],
                     gem_files(dir, require_paths: [dir]).files.map { |path| path.delete_prefix("#{dir}/") }
        assert_empty gem_files(dir, require_paths: ["#{folder}/extensions"]).files
      end

      def test_large_files_are_left_to_recordings
        dir = gem_with("a-1", "lib/a.rb" => "1", "lib/table.rb" => "# #{"x" * GemFiles::FILE_BYTES}\n")
        assert_equal ["#{dir}/lib/a.rb"], gem_files(dir).files
      end

      def test_files_nearest_to_the_root_come_first_in_a_large_gem
        many = (1..GemFiles::FILES).to_h { |number| ["lib/a/far/f#{number}.rb", "1"] }
        dir = gem_with("a-1", { "lib/z.rb" => "1" }.merge(many))
        assert_equal GemFiles::FILES, gem_files(dir).files.size
        assert_includes gem_files(dir).files, "#{dir}/lib/z.rb"
      end

      def test_an_empty_gem
        assert_predicate gem_files(gem_with("a-1", "README.md" => "a")), :empty?
        assert_predicate gem_files("#{folder}/nowhere"), :empty?
      end

      def test_the_fingerprint_is_that_of_the_listing
        dir = gem_with("a-1", "lib/a.rb" => "1", "lib/b.rb" => "2")
        print = gem_files(dir).fingerprint
        assert_equal print, gem_files(dir).fingerprint
        File.link("#{dir}/lib/a.rb", "#{folder}/linked")
        assert_equal print, gem_files(dir).fingerprint, "the ctime alone"
        write("gems/a-1/lib/a.rb", "3")
        other = gem_files(dir).fingerprint
        refute_equal print, other
        FileUtils.mv("#{dir}/lib/b.rb", "#{dir}/lib/c.rb")
        refute_includes [print, other], gem_files(dir).fingerprint
      end
    end
  end
end
