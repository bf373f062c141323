# frozen_string_literal: true

module Spate
  # The content-addressed store. Each machine has one, shared by all projects and by concurrent processes. This class
  # provides the paths and stores small files. Spate::Native::Store reads and writes package files.
  #
  #   <home>/store/v1/objects/ab/<sha256>-<mode>    packages/<archive sha256>[-<mask>]
  #                   builds/<key>-<id>             variants/<key>/<id>: the inputs of that build
  #                   archives/<sha256>.gem         names/<sha256 of domain>/<full name> -> archive sha256
  #                   specs/ checks/ bundles/ compile-cache/ tmp/ locks/
  #
  # Uses core Ruby only and creates nothing before the first write, because a run with nothing to do uses this class.
  class Store
    %i[Error Full ReadOnly Untrusted Missing Locked].each { |name| autoload name, "spate/store/errors" }
    autoload :BundleRecord, "spate/store/bundle_record"
    autoload :Edits, "spate/store/edits"
    autoload :Healing, "spate/store/healing"
    autoload :Lock, "spate/store/lock"
    autoload :Object, "spate/store/object"
    autoload :PackageKey, "spate/store/package_key"
    autoload :Prune, "spate/store/prune"
    autoload :Renewal, "spate/store/renewal"
    autoload :Status, "spate/store/status"
    autoload :Sweep, "spate/store/sweep"
    autoload :Temporary, "spate/store/temporary"
    autoload :Text, "spate/store/text"
    autoload :Usage, "spate/store/usage"
    autoload :Verify, "spate/store/verify"

    SHA256 = /\A\h{64}\z/
    # One path component, or two for kinds that group their keys ("specs/<rubygems key>/<archive sha256>").
    KEY = %r{\A[\w+-][\w.+-]*(/[\w+-][\w.+-]*)?\z}

    # Opens the store. The first write creates it. Rejects a folder in which another user could have placed objects.
    #
    # @param home [String, nil] Spate's folder; nil for the one given by the environment
    # @param env [ENV, Hash{String => String}]
    # @param makes [Boolean] whether a missing store is created by the first write; false for read-only use
    # @return [Store]
    # @raise [Util::NoHome, Untrusted, ReadOnly]
    def self.open(home: nil, env: ENV, makes: true)
      home = home ? File.expand_path(home) : Util::StorePlace.home(env)
      root = Util::StorePlace.root(home)
      refusal = Util::StorePlace.distrust(root, env, group: true)
      error = Error.refusal(*refusal) if refusal
      raise error if error

      trusted = Util::StorePlace.trusted?(env)
      new(home, root, trusted: trusted, makes: makes) do
        open(env: env.to_h.reject { |name, _| name == "SPATE_HOME" }, makes: makes)
      end
    end

    # @return [String] absolute path of Spate's folder: "/home/me/.cache/spate"
    attr_reader :home
    # @return [String] absolute path of the store in it: "/home/me/.cache/spate/store/v1"
    attr_reader :root

    # @!visibility private

    # SHA-256 of a String, in hex.
    def self.sha256(text)
      Native.sha256(text)
    rescue LoadError
      require "digest"
      Digest::SHA256.hexdigest(text)
    end

    # [Healing::Healed]: damaged objects found by this process, whether repaired or not.
    attr_reader :healed

    # trusted: whether to ignore the owner of files in the store. The block returns the user's own store, which is used
    # for results if this store is not writable.
    def initialize(home, root, trusted: false, makes: true, &own)
      @makes = makes || File.directory?(root)
      @own = own
      @home = home
      @root = root
      @trusted = trusted
      @native = nil # Spate::Native::Store, created on first use
      @threads = nil # [unpack, link]: the thread numbers with which @native was created
      @swept = false # whether this process has removed leftovers of ended processes
      @mutex = Mutex.new
      @healed = []
    end

    # The C store. The first call with thread numbers determines the sizes of its thread pools. By default each pool has
    # one thread per processor. Raises Error if the store can neither be created nor read.
    def native(unpack_threads: nil, link_threads: nil)
      @mutex.synchronize do
        threads = [unpack_threads || @threads&.first, link_threads || @threads&.last]
        return @native if @native && threads == @threads

        prepare if writable?
        @threads = threads
        @native = guard do
          Native::Store.new(root, unpack_threads: threads[0], link_threads: threads[1], owner: owner)
        end
      end
    end

    # Whether this process can write to the store. It cannot on a read-only file system or in another user's store.
    def writable?
      return @writable if defined?(@writable)

      @writable = @makes && File.writable?(Util::Files.nearest(root))
    end

    # The Store for builds and records of bundles: this one if it is writable, else the user's own store, or nil if
    # neither is writable.
    def writable_store
      return @writable_store if defined?(@writable_store)

      @writable_store = writable? ? self : own
    end

    # All stores that may contain builds and records. The user's own store comes first.
    def all_stores = [writable_store, self].compact.uniq

    # The user who must own the objects that bundles share with the store, except those of root. nil for a team's store,
    # to which all members may write. If a bundle's owner is changed, the owner of its shared inodes changes too, and
    # then their code must not run.
    def owner
      stat = File.stat(root)
      stat.uid unless @trusted || stat.mode & 0o020 != 0
    rescue Errno::ENOENT
      nil
    end

    def path(*parts) = File.join(root, *parts)
    def archive_path(sha256) = "#{root}/archives/#{sha256}.gem"
    def package_path(key) = "#{root}/packages/#{key}"
    def build_path(key) = "#{root}/builds/#{key}"

    # The Native::Manifest of a package (see PackageKey), or nil if it is missing, incomplete or unreadable.
    def package(key) = manifest(package_path(key))

    # From this number of manifests on, threads save time.
    MANY = 32
    private_constant :MANY

    # {key => manifest or nil} for many keys, opened in one call.
    def packages(keys)
      return keys.to_h { |key| [key, package(key)] } if keys.size < MANY

      found = native.manifests(keys.map { |key| package_path(key) })
      keys.each_with_index.to_h { |key, index| [key, found[index] || package(key)] }
    end

    # The keys of all packages from one archive, which differ in file modes.
    def package_keys(sha256) = Dir.glob("#{sha256}{,-*}", base: path("packages")).grep(PackageKey::PATTERN).sort

    # The manifest of a stored build, from this store or the user's own.
    def build(key) = all_stores.filter_map { |store| store.own_build(key) }.first
    def own_build(key) = manifest(build_path(key))

    # The manifest at a path, or nil if it is incomplete. Raises Native::Error.
    def open_manifest(path)
      native.manifest(path)
    rescue Native::StaleManifest
      nil
    end

    # The SHA-256 (hex) of the archive that a full name refers to in a domain (Registry::Trust), or nil if unknown.
    def name_lookup(domain, full_name)
      sha256 = File.readlink(name_path(domain, full_name))
      sha256 if SHA256.match?(sha256)
    rescue Errno::ENOENT, Errno::EINVAL, Errno::ENOTDIR, Errno::EACCES
      nil
    end

    # The Time when the name was stored, or nil.
    def name_time(domain, full_name)
      File.lstat(name_path(domain, full_name)).mtime
    rescue SystemCallError
      nil
    end

    # Stores the SHA-256 for a name as a symlink, which needs only an inode. Returns false if the store is not writable.
    def remember_name(domain, full_name, sha256)
      path = name_path(domain, full_name)
      without_interrupts do
        make(File.dirname(path))
        Util::Files.replace(path, temporary("name")) { |fresh| File.symlink(sha256, fresh) }
      end
    end

    # The text stored under a key, or nil if it is missing or damaged. kind: a folder of the store, such as "specs",
    # "checks" or "bundles".
    def read(kind, key) = Text.read(text_path(kind, key))

    # Stores a text atomically. Texts are caches, so this returns false if the store is read-only or full. With
    # `required: true` it raises ReadOnly or Full instead.
    def write(kind, key, text, required: false)
      path = text_path(kind, key)
      without_interrupts(required: required) do
        make(File.dirname(path))
        Text.write(path, text, temporary("text"))
      end
    end

    # A new path under tmp/. Its name contains this process's id, for Sweep. The caller creates the file, and renames or
    # removes it. Raises ReadOnly, Full.
    def temporary(prefix)
      guard { make(path("tmp")) }
      sweep
      path("tmp", "#{prefix}-#{Process.pid}-#{Random.urandom(8).unpack1("H*")}")
    end

    # Holds a lock between processes while the block runs. Processes that add to the store hold a shared lock "store".
    # Processes that remove from it hold an exclusive lock.
    def lock(name, shared: false, wait: true, &block)
      without_interrupts { make(path("locks")) }
      Lock.hold(path("locks", "#{name}.lock"), shared: shared, wait: wait, &block)
    end

    # Replaces damaged objects of a package from its archive. indexes: of the manifest's entries. Raises Missing if the
    # archive is needed, but missing.
    def heal(manifest, indexes, **options) = Healing.new(self).call(manifest, indexes, **options)

    # Verifies the content of manifests' objects, repairs these, and rewrites the manifests with the current boot id and
    # times. Used for manifests from before a reboot, or from a restored cache. Returns {path => Native::Manifest} of
    # the valid ones.
    def renew(paths) = paths.empty? ? {} : Renewal.new(self).call(paths)

    # Rewrites a manifest from before a reboot, after its objects were linked and therefore hashed. Until the next
    # reboot, a stat is then sufficient to check them. Returns whether the manifest has the current boot id.
    def confirm(manifest, path)
      manifest.this_boot? || (writable? && manifest.renew(path))
    rescue Native::Error
      false # ignored, since this only saves work
    end

    # Runs the block, and converts file system errors of Ruby and the core to Store errors.
    def guard(path = root)
      yield
    rescue SystemCallError => e
      raise Error.for(e, path)
    rescue StandardError => e
      raise unless e.respond_to?(:member) && e.respond_to?(:errno) && e.errno.to_i.positive? # Native::Error

      # A member may be a path inside of an archive. Then the error is about `path`.
      raise Error.for(e.errno, e.member.to_s.start_with?("/") ? e.member : path)
    end

    # Creates a folder and its parents. The mode is never wider than 0755, since with a umask of 0 every user could
    # write to the store.
    def make(folder)
      raise ReadOnly.at(root) unless @makes

      Util::Files.make_folder(folder, 0o755)
    end

    private

    def own
      store = @own&.call
      store if store && store.root != root && store.writable?
    rescue Error, Util::NoHome
      nil
    end

    def manifest(path)
      open_manifest(path) if File.file?(path)
    rescue Native::Error => e
      raise unless e.errno == Errno::ELOOP::Errno # a symbolic link in place of the manifest

      nil
    end

    def prepare
      guard { %w[objects packages builds archives tmp locks].each { |name| make(path(name)) } }
    end

    def name_path(domain, full_name)
      raise ArgumentError, "not a gem's full name: #{full_name.inspect}" if full_name.match?(%r{[/\0]|\A\.})

      path("names", Store.sha256(domain), full_name)
    end

    def text_path(kind, key)
      raise ArgumentError, "not a key: #{key.inspect}" unless KEY.match?(key)

      path(kind, key)
    end

    # Defers interrupts and killing of the thread, which would leave temporary files.
    def without_interrupts(required: false, &work)
      Thread.handle_interrupt(::Object => :never, &work)
      true
    rescue SystemCallError, Error => e
      raise e.is_a?(Error) ? e : Error.for(e, root) if required

      false
    end

    # Called once per process, before a write.
    def sweep
      return if @swept

      @swept = true
      Sweep.new(self).clear_temporaries
    end
  end
end
