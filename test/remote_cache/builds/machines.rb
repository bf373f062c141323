# frozen_string_literal: true

require "build/build_case"
require "spate/tracer"

module Spate
  # Machines with separate stores. A folder of the test transports bytes between them like a cache.
  class MachinesCase < BuildCase
    RemoteCache = Spate::RemoteCache

    def setup
      super
      skip "builds cannot be traced here: #{Tracer.available?}" unless Tracer.available? == true
      @machine = :first
    end

    # Returns the block's value on another machine, which has another store, home and folders.
    def on(machine)
      before = @machine
      @machine = machine
      yield
    ensure
      @machine = before
    end

    def store = ((@stores ||= {})[@machine] ||= Store.open(home: File.join(folder, @machine.to_s, "spate"), env: {}))

    def environment(more = {})
      home = FileUtils.mkdir_p(File.join(folder, @machine.to_s, "home")).first
      ENV.to_h.merge("HOME" => home, "SPATE_HOME" => nil).merge(more).compact
    end

    # trust: the bundle's RemoteCache::Trust.
    def bundle(app = "app", env: {}, trust: nil, **options)
      trusts = trust && ->(signer, made) { trust.doubt(signer, made).nil? }
      builder("#{@machine}/#{app}", env: environment(env), trusts: trusts, **options)
    end

    def cache(builder, trust: self.trust, settings: {}, env: {})
      settings = Settings.load(root: layout.root, env: environment(env).merge(settings))
      RemoteCache::Builds.new(store: store, layout: layout, settings: settings, builder: builder, trust: trust)
    end

    def run_ruby(*arguments)
      output = IO.popen([Util::Ruby.path, *arguments], err: %i[child out], &:read)
      assert_predicate $?, :success?, output
      output
    end

    def private_key(name = :ci) = ((@private_keys ||= {})[name] ||= RemoteCache::Trust::PrivateKey.generate)
    def public_key(name = :ci) = private_key(name).public_key(name.to_s)
    def trust(*keys) = RemoteCache::Trust.new(keys.empty? ? [public_key] : keys)
    def places(full_name = "alpha-1.0") = RemoteCache::Pack::Places.of(layout, full_name)

    # Builds and offers a gem on this machine. Returns [Cache::Entry of the build, Entry, path of the blob].
    def made(archive, env: {}, key: private_key, **options)
      builder = bundle("origin", env: env, **options)
      result = build(builder, archive)
      sent = cache(builder, env: env).offer(result.stored, key)
      assert_kind_of Array, sent, sent.inspect
      [result.stored, *sent]
    end

    def document(*entries) = RemoteCache::Document.new(entries).encode

    # The result of `choose` on this machine, for a separate bundle.
    def chosen(archive, *entries, env: {}, trust: self.trust, app: "app")
      builder = bundle(app, env: env)
      first = key(builder, archive)
      cache(builder, trust: trust, env: env).choose(document(*entries), first, places)
    end

    # The files of a gem in the last bundle: { path => [type, mode, content or target] }.
    def tree(full_name = "alpha-1.0")
      roots = ["gems/#{full_name}", "extensions/#{layout.extensions_scope}/#{full_name}"]
      roots.flat_map { |root| Dir.glob("#{root}/**/*", File::FNM_DOTMATCH, base: layout.root) }.to_h do |path|
        at = "#{layout.root}/#{path}"
        stat = File.lstat(at)
        content = stat.symlink? ? File.readlink(at) : (File.binread(at) if stat.file?)
        [path, [stat.ftype, stat.mode, content]]
      end
    end
  end
end
