# frozen_string_literal: true

require_relative "native_case"
require "open3"
require "spate"
require "support/hostile_archives"
require "support/hostile_archives/gem"
require "support/hostile_archives/tar"

module Spate
  # Unpacks a member of each possible type byte with Spate and with RubyGems or npm. docs/security.md lists the types
  # that are rejected.
  class MemberTypesTest < NativeCase
    Tar = HostileArchives::Tar
    # Types that Spate rejects or reads although the other tool ignores the member: a hard link, devices, a FIFO, a file
    # of several volumes, a sparse file; extended headers and long names.
    REFUSED = %w[1 3 4 6 M S].freeze
    READ = %w[K L g x].freeze
    TYPES = Array.new(256) { |byte| byte.chr(Encoding::BINARY) }.freeze

    def test_gems
      compare_with_rubygems(TYPES, "mid/member", "zz", "")
    end

    def test_gems_with_other_names_and_links
      types = ["\0", "0", "1", "2", "5", "7", "A", "D", "N", "V", "X", "?", "\xff".b, *READ]
      compare_with_rubygems(types, "mid/member", "", "")
      compare_with_rubygems(types, "lib/a.rb", "zz", "")
      compare_with_rubygems(types, "mid/member", "", "../lib/a.rb")
      compare_with_rubygems(types, "../member", "", "")
    end

    # RubyGems treats the member as a file, so ignoring it would lose a file.
    def test_a_blank_type_is_refused
      error = assert_raises(Native::Error) { store.unpack(gem_with("mid/member", "zz", " ", ""), tree: tree) }

      assert_match(/unknown member type ' '/, error.message)
    end

    def test_ignored_members_are_counted
      assert_equal [1, "mid/member"], store.unpack(gem_with("mid/member", "zz", "V", "")).ignored
      assert_nil store.unpack(gem_with("mid/member", "zz", "0", "")).ignored
    end

    # npm treats 7 as a file, X as x, and N as a long name. pnpm fails on all unknown types.
    def test_npm_packages
      found = npm_trees(TYPES.to_h { |type| [type.ord, package(type)] })
      different = TYPES.reject { |type| unpacked_package(package(type)) == found.fetch(type.ord) }

      assert_equal %w[3 4 6 L M N S], different.sort
    end

    private

    # Asserts the same result for these types. A folder with content is rejected: readers disagree where the next header
    # is.
    def compare_with_rubygems(types, name, content, link)
      different = types.reject do |type|
        archive = gem_with(name, content, type, link)
        unpacked_gem(archive) == rubygems_tree(archive)
      end
      assert_empty different - REFUSED - READ - [" "] - (content.empty? ? [] : ["5"]), "#{name} #{content}"
    end

    def gem_with(name, content, type, link)
      members = [Tar.member("lib/a.rb", "A"), Tar.member(name, content, type: type, link: link),
                 Tar.member("lib/b.rb", "B")]
      fresh("archive").tap { |path| File.binwrite(path, HostileArchives::Gem.new(*members).bytes) }
    end

    def unpacked_gem(archive)
      store.unpack(archive, tree: (made = tree))
      listing(made).transform_values { |type, _, content| [type, content] }
    rescue Native::Error
      :refused
    end

    def rubygems_tree(archive)
      made = fresh("rubygems")
      FileUtils.mkdir_p(made)
      Gem::Package.new(archive).extract_files(made)
      listing(made).transform_values { |type, _, content| [type, content] }
    rescue Gem::Package::Error, SystemCallError
      :refused
    end

    def package(type)
      path = File.join(folder, "#{type.ord}.tgz")
      return path if File.exist?(path)

      members = [Tar.member("package/package.json", '{"name":"x","version":"1.0.0"}'),
                 Tar.member("package/mid/member", "", type: type), Tar.member("package/b.js", "B")]
      File.binwrite(path, Zlib.gzip(Tar.archive(*members)))
      path
    end

    def unpacked_package(archive)
      store.unpack(archive, kind: :npm, tree: (made = tree))
      files(made)
    rescue Native::Error
      :refused
    end

    def files(root) = listing(root).select { |_, (type)| type == "file" }.transform_values(&:last)

    SCRIPT = <<~JS
      const pacote = require(process.argv[2] + "/npm/node_modules/pacote");
      (async () => {
        for (const path of process.argv.slice(4))
          await pacote.extract("file:" + path, path + ".out", { cache: process.argv[3] });
      })();
    JS

    # archives: { key => path }. Returns { key => files extracted by npm's own library }.
    def npm_trees(archives)
      modules, status = Open3.capture2("npm", "root", "-g")
      there = status.success? && Dir.exist?("#{modules.chomp}/npm/node_modules/pacote")
      skip "no npm with its pacote here" unless there

      script = write("extract.js", SCRIPT)
      output, status = Open3.capture2e("node", script, modules.chomp, File.join(folder, "cache"), *archives.values)
      assert_predicate status, :success?, output
      archives.transform_values { |path| files("#{path}.out") }
    rescue Errno::ENOENT
      skip "no npm here"
    end
  end
end
