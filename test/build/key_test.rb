# frozen_string_literal: true

require_relative "build_case"

module Spate
  class KeyTest < BuildCase
    Rubygems = Struct.new(:version)
    Place = Struct.new(:extensions_scope, :rubygems)
    SHA256 = "a" * 64

    def key(ruby: Build::RubyBuild.current, rubygems: "3.3.15", scope: "x86_64-linux/3.1.0", **options)
      keys = Build::Key.new(layout: Place.new(scope, Rubygems.new(rubygems)), ruby: ruby)
      keys.for(options.fetch(:name, "alpha-1.0"), options.fetch(:sha256, SHA256),
               **options.slice(:arguments, :dependencies, :word))
    end

    def test_equal_inputs_have_equal_keys
      assert_match(/\A\h{64}\z/, key)
      assert_equal key, key
      assert_equal key(dependencies: [SHA256, "b" * 64]), key(dependencies: ["b" * 64, SHA256])
    end

    def test_each_input_changes_the_key
      other_ruby = Build::RubyBuild.new(description: "ruby 3.4.1 (2024-12-25 revision 48d4efcb85) [x86_64-linux]")
      keys = [
        key, key(sha256: "b" * 64), key(name: "alpha-1.0-x86_64-linux"), key(arguments: ["--with-x"]),
        key(arguments: ["--with-x", "--with-y"]), key(arguments: ["--with-x --with-y"]), key(dependencies: [SHA256]),
        key(rubygems: "3.6.9"), key(scope: "x86_64-linux/3.1.0-static"), key(ruby: other_ruby),
        key(word: "forgotten"), with_umask(0o077) { key }
      ]

      assert_equal keys.size, keys.uniq.size
    end

    def test_inputs_seen_by_a_build_are_part_of_its_key
      assert_equal SHA256, Build::Key.combine(SHA256, [])
      assert_equal Build::Key.combine(SHA256, %w[a b]), Build::Key.combine(SHA256, %w[b a])
      refute_equal Build::Key.combine(SHA256, %w[a]), Build::Key.combine(SHA256, %w[b])
    end

    def with_umask(mask)
      before = File.umask(mask)
      yield
    ensure
      File.umask(before)
    end

    # A warm install computes keys and finds stored builds without RubyGems and its dependencies.
    def test_key_and_reuse_load_core_ruby_only
      archive = native_gem("alpha")
      build(builder, archive)
      script = <<~RUBY
        before = $LOADED_FEATURES.dup
        $LOAD_PATH.unshift #{File.expand_path("../../lib", __dir__).dump}
        require "spate"
        Place = Struct.new(:root, :extensions_scope, :rubygems)
        Settings = Struct.new(:x) { def build_flags(_) = nil }
        Package = Struct.new(:name, :full_name, :sha256)
        store = Spate::Store.open(home: #{File.join(folder, "home").dump}, env: {})
        place = Place.new(#{layout.root.dump}, #{layout.extensions_scope.dump}, Struct.new(:version).new(#{Gem::VERSION.dump}))
        builder = Spate::Build::Builder.new(store: store, layout: place, settings: Settings.new)
        key = builder.key(Package.new("alpha", "alpha-1.0", #{Digest::SHA256.file(archive).hexdigest.dump}), [])
        abort "not found" unless builder.reuse(key)
        abort "loaded RubyGems" if defined?(Gem)
        puts ($LOADED_FEATURES - before).grep_v(%r{/spate[/.]|/enc/})
      RUBY
      output = IO.popen([Util::Ruby.path, "--disable-gems", "-e", script], err: %i[child out], &:read)

      assert_predicate $?, :success?, output
      assert_equal [], output.lines(chomp: true).map { |path| File.basename(path) } - %w[etc.so monitor.so]
    end
  end

  class RubyBuildTest < Minitest::Test
    def identity(description) = Build::RubyBuild.new(description: description).identity

    def test_jit_does_not_change_the_ruby
      plain = identity("ruby 3.4.1 (2024-12-25 revision 48d4efcb85) [x86_64-linux]")

      assert_equal plain, identity("ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +YJIT +PRISM [x86_64-linux]")
      assert_equal plain, identity("ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +YJIT stats +PRISM [x86_64-linux]")
      refute_equal plain, identity("ruby 3.4.2 (2025-02-04 revision 4e7f008908) +YJIT +PRISM [x86_64-linux]")
    end

    def test_another_configuration_is_another_ruby
      one = write("one.rb", %(  CONFIG["ENABLE_SHARED"] = "yes"\n))
      two = write("two.rb", %(  CONFIG["ENABLE_SHARED"] = "no"\n))

      refute_equal Build::RubyBuild.new(config_path: one).identity, Build::RubyBuild.new(config_path: two).identity
    end
  end
end
