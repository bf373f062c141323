# frozen_string_literal: true

require "remote_cache/builds/machines"
require "rbconfig"

module Spate
  # Two machines that differ in one input must not share a build. The other machine is simulated by a change on this
  # one.
  class RemoteDifferencesTest < MachinesCase
    OTHER = "processor\t: 0\nvendor_id\t: Other\ncpu family\t: 7\nmodel\t: 7\nflags\t: fpu mmx\n"
    # The cache query of an install on the other machine. Runs in a child process.
    ASK = <<~'RUBY'
      require "spate"
      home, root, key, first, document = ARGV
      include Spate
      store = Store.open(home: home, env: {})
      settings = Settings.load(root: root, env: ENV.to_h.merge("BUNDLE_PATH" => "bundle"))
      layout = Layout.for(settings, root, store: store)
      builder = Build::Builder.new(store: store, layout: layout, settings: settings)
      trust = RemoteCache::Trust.new([RemoteCache::Trust::PublicKey.parse(key, "test")])
      cache = RemoteCache::Builds.new(store: store, layout: layout, settings: settings, builder: builder, trust: trust)
      answer = cache.choose(File.binread(document), first, RemoteCache::Pack::Places.of(layout, "alpha-1.0"))
      puts answer.is_a?(Array) ? answer : answer.class
    RUBY

    def test_another_compiler
      cc = RbConfig::CONFIG["CC"].split.first
      real = IO.popen(["which", cc], &:read).chomp
      path = programs(cc => "exec #{real} \"$@\"\n")
      archive = native_gem("alpha")
      assert_follows(archive, %r{bin/#{cc} changed}, env: path) { programs(cc => "exec #{real} -O1 \"$@\"\n") }
    end

    def test_another_header
      write("include/flavour.h", "#define FLAVOUR 1\n")
      extconf = "require 'mkmf'\n$CPPFLAGS << ' -I#{folder}/include'\ncreate_makefile('alpha/alpha')\n"
      source = "#include <ruby.h>\n#include <flavour.h>\nint flavour = FLAVOUR;\nvoid Init_alpha(void) {}\n"
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => extconf, "ext/alpha/alpha.c" => source })
      assert_follows(archive, /flavour.h changed/) { write("include/flavour.h", "#define FLAVOUR 2\n") }
    end

    def test_another_flag
      extconf = "require 'mkmf'\n$CFLAGS << ENV['MY_FLAGS'].to_s\ncreate_makefile('alpha/alpha')\n"
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => extconf })
      _, entry, = made(archive, env: { "MY_FLAGS" => " -O1" })
      on(:second) do
        assert_kind_of RemoteCache::Builds::Offer, chosen(archive, entry, env: { "MY_FLAGS" => " -O1" })
        assert_equal ["MY_FLAGS has another value"], chosen(archive, entry, env: { "MY_FLAGS" => " -O2" })
        assert_equal ["MY_FLAGS has another value"], chosen(archive, entry)
      end
    end

    def test_another_processor_where_the_build_asked_for_it
      skip "needs root, for another /proc/cpuinfo" unless Process.euid.zero?
      extconf = "require 'mkmf'\n$CFLAGS << ' -march=native'\ncreate_makefile('alpha/alpha')\n"
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => extconf })
      _, entry, = made(archive)
      write("document", document(entry))
      info = write("cpuinfo", OTHER)

      assert_equal "Spate::RemoteCache::Builds::Offer\n", asked(archive)
      assert_equal "the processor differs\n",
                   asked(archive, "unshare", "-m", "sh", "-c", "mount --bind #{info} /proc/cpuinfo && exec \"$@\"",
                         "sh")
    end

    private

    # Asserts that the other machine uses the build before the change (a block), and rejects it afterwards.
    def assert_follows(archive, reason, env: {})
      _, entry, = made(archive, env: env)
      on(:second) do
        assert_kind_of RemoteCache::Builds::Offer, chosen(archive, entry, env: env), "before the change"
        yield
        answer = chosen(archive, entry, env: env, app: "app2")
        assert_equal 1, Array(answer).size
        assert_match reason, Array(answer).first.to_s
      end
    end

    def asked(archive, *before)
      on(:second) do
        first = key(bundle, archive)
        root = File.join(folder, "second", "app")
        command = [Util::Ruby.path, "-I#{File.expand_path("../../../lib", __dir__)}", "-e", ASK, store.home, root,
                   public_key.to_s, first, File.join(folder, "document")]
        IO.popen([environment, *before, *command, { err: %i[child out] }], &:read)
      end
    end
  end
end
