# frozen_string_literal: true

require "test_helper"
require "rubygems/package"
require "rubygems/specification"
require "spate/native/install"
require "support/tree_comparison"

module Spate
  # Small native gems, with a store and a bundle for each test.
  class BuildCase < Minitest::Test
    Package = Struct.new(:name, :version, :full_name, :sha256)
    C_SOURCE = <<~C
      #include <ruby.h>
      void Init_%<name>s(void) { rb_define_global_const("%<constant>s", INT2FIX(%<value>d)); }
    C

    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})
    def events = @events ||= Events.new.tap { |events| events.subscribe { |event| seen << event } }
    def seen = @seen ||= []

    # app: name of the project's folder. settings: {"BUNDLE_..." => value}.
    def builder(app = "app", settings: {}, env: ENV.to_h, **options)
      FileUtils.mkdir_p(File.join(folder, app))
      root = File.realpath(File.join(folder, app))
      settings = Settings.load(root: root, env: env.merge("BUNDLE_PATH" => "bundle", **settings))
      @layout = Layout.for(settings, root, store: store)
      %w[gems specifications extensions].each { |name| FileUtils.mkdir_p(@layout.public_send(name)) }
      Build::Builder.new(store: store, layout: @layout, settings: settings, events: events, env: env, **options)
    end

    attr_reader :layout

    # A gem whose extension defines a constant. `files` are added to the default files, or replace them.
    def native_gem(name, files = {}, value: 1, extensions: ["ext/#{name}/extconf.rb"])
      sources = {
        "lib/#{name}.rb" => "require '#{name}/#{name}'\n",
        "ext/#{name}/extconf.rb" => "require 'mkmf'\ncreate_makefile('#{name}/#{name}')\n",
        "ext/#{name}/#{name}.c" => format(C_SOURCE, name: name, constant: name.upcase, value: value)
      }.merge(files)
      sources.each { |path, text| write("source/#{name}/#{path}", text) }
      specification = Gem::Specification.new(name, "1.0") do |spec|
        spec.summary = spec.author = "test"
        spec.files = sources.keys
        spec.extensions = extensions
      end
      pack(specification, File.join(folder, "source", name))
    end

    def pack(specification, source)
      Dir.chdir(source) do
        Gem::DefaultUserInteraction.use_ui(Gem::SilentUI.new) do
          File.expand_path(Gem::Package.build(specification, true))
        end
      end
    end

    # Puts an archive into the store and a private copy of its files into the bundle of the last `builder`. Returns the
    # keyword arguments of Builder#build, except `key`.
    def unpack(archive)
      specification = Gem::Package.new(archive).spec
      sha256 = in_store(archive)
      gem_dir = File.join(layout.gems, specification.full_name)
      store.native.link([[gem_dir, [store.package(sha256)], :copy]]).each { |linked| assert linked.ok?, linked.message }
      { package: Package.new(specification.name, specification.version, specification.full_name, sha256),
        facts: Specification::Facts.new(extensions: specification.extensions,
                                        require_paths: specification.require_paths),
        gem_dir: gem_dir, extension_dir: File.join(layout.extensions, specification.full_name),
        specification: specification.to_ruby_for_cache, package_manifest: store.package(sha256) }
    end

    def in_store(archive)
      unpacked = store.native.unpack(archive, kind: :gem)
      unpacked.write_manifest(store.package_path(unpacked.sha256), "")
      unpacked.sha256
    ensure
      unpacked&.close
    end

    # Unpacks and builds a gem. Returns the Result.
    def build(builder, archive)
      what = unpack(archive)
      builder.build(**what, key: builder.key(what[:package], []))
    end

    def key(builder, archive)
      builder.key(unpack(archive)[:package], [])
    end

    # Runs `gem install` for an archive. Returns the GEM_HOME into which the gem was installed.
    def gem_install(archive, *arguments, env: {})
      home = File.join(folder, "reference", File.basename(archive, ".gem"))
      output = IO.popen({ "GEM_HOME" => home, "GEM_PATH" => home, **env },
                        ["gem", "install", "--local", "--no-document", "--install-dir", home, archive, *arguments],
                        err: %i[child out], &:read)
      assert_predicate $?, :success?, output
      home
    end

    # A PATH that begins with a folder of shell scripts. scripts: {name => text}
    def programs(scripts)
      scripts.each { |name, text| write("bin/#{name}", "#!/bin/sh\n#{text}", mode: 0o755) }
      { "PATH" => "#{folder}/bin:#{ENV.fetch("PATH")}" }
    end
  end
end
