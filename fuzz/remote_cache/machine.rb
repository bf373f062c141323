# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# A machine that uses builds from a team's cache and trusts a malicious signer.
class Machine
  RemoteCache = Spate::RemoteCache
  WHAT = "alpha-1.0"
  KEY = Spate::Store.sha256("build key")

  # All files are created below folder. Files outside the machine's own folders must not change.
  def initialize(folder)
    @folder = folder
    @home = FileUtils.mkdir_p("#{folder}/home").first
    File.write("#{@home}/file", "content")
    FileUtils.mkdir_p("#{@home}/bin")
    File.write("#{@home}/bin/tool", "", perm: 0o755)
    env = { "HOME" => @home, "PATH" => "#{@home}/bin:/usr/bin:/bin", "LANG" => "C" }
    @store = Spate::Store.open(home: "#{folder}/spate", env: env)
    root = FileUtils.mkdir_p("#{folder}/app").first
    settings = Spate::Settings.load(root: root, env: env.merge("BUNDLE_PATH" => "bundle"))
    @layout = Spate::Layout.for(settings, root, store: @store)
    builder = Spate::Build::Builder.new(store: @store, layout: @layout, settings: settings, env: env)
    @roots = builder.reuse_check.roots
    @builds = RemoteCache::Builds.new(store: @store, layout: @layout, settings: settings, builder: builder,
                                      trust: RemoteCache::Trust.new([signer.public_key("ci")]))
  end

  attr_reader :store, :folder

  def places = @places ||= RemoteCache::Pack::Places.of(@layout, WHAT)
  def signer = @signer ||= RemoteCache::Trust::PrivateKey.generate

  # A record of inputs in the form in which it is shared with other machines.
  def inputs
    path = @store.temporary("inputs")
    Spate::Inputs.record(path, [[:file, "#{@home}/file"], [:listed, @home], [:absent, "#{@home}/none"],
                                [:environment, "LANG"], [:looked, "/usr", nil]], @roots, env: { "LANG" => "C" },
                                                                                         portable: true)
    File.binread(path)
  end

  def facts
    "gem\t#{WHAT}\nseconds\t1.5\nremoved\tgems/#{WHAT}/tmp\nprogram\ttool\t~/bin/tool\nabove\t.config\nwords\t\n" \
      "names\tHOME\tLANG\n"
  end

  # Returns the bytes of a signed document with one entry. `packed` are the packed records of the entry, `more` are
  # additional attributes.
  def document(packed, **more)
    RemoteCache::Document.new([entry(packed, **more)]).encode
  end

  def entry(packed, **more)
    sha256 = Spate::Store.sha256("x")
    RemoteCache::Entry.sign({ key: KEY, kind: "build", what: WHAT, archive: sha256, made: Time.now.to_i,
                              **RemoteCache::Entry.machine, id: "0123456789abcdef", blob: sha256, blob_bytes: 1,
                              tar_bytes: 1, file_bytes: 1, paths: 1, seconds: "1.500", **more }, packed, signer)
  end

  # Returns what an install decides about the bytes of a document.
  def choose(bytes) = @builds.choose(bytes, KEY, places)

  # Reads a compressed tar that the signer claims to be a build.
  def accept(tar, facts)
    path = "#{@folder}/blob"
    File.binwrite(path, Zlib.gzip(tar, level: 1))
    told = entry("", blob: Spate::Native.sha256_file(path), blob_bytes: File.size(path), **facts)
    RemoteCache::Pack.new(@store).read(told, path, places)
  ensure
    File.delete(path)
  end

  # Returns the tar of a build and the attributes of its entry.
  def tar
    members = [{ path: "gems/#{WHAT}/lib/alpha.so", type: :file, mode: 0o755, text: "library" * 50 },
               { path: "gems/#{WHAT}/lib/#{"deep/" * 30}x.rb", type: :file, mode: 0o644, text: "x" },
               { path: "gems/#{WHAT}/lib/link", type: :symlink, mode: 0o777, target: "alpha.so" },
               { path: "build_info/#{WHAT}.info", type: :file, mode: 0o644, text: "" }]
    members.each { |member| member[:size] = member[:text].to_s.bytesize }
    bytes = +""
    RemoteCache::Pack::Tar.new(out = StringIO.new(bytes.b)).write(members) { |member, to| to.write(member[:text]) }
    [out.string, { tar_bytes: out.string.bytesize, file_bytes: members.sum { |member| member[:size] },
                   paths: members.size }]
  end
end
