# frozen_string_literal: true

require_relative "machine"

# The readers of a team cache's data, with valid seeds and the errors that they may raise.
class Targets
  RemoteCache = Spate::RemoteCache
  Wrong = Class.new(StandardError)

  Target = Struct.new(:name, :seeds, :errors, :read)

  def initialize(machine)
    @machine = machine
    @records = RemoteCache::Entry::Records.new(machine.inputs, machine.inputs, machine.facts)
  end

  def all = %i[wire documents inputs facts records tars entries lists pages].map { |name| send(name) }

  private

  def target(name, seeds, *errors, &read) = Target.new(name, seeds, errors, read)
  def wrong(fact) = raise(Wrong, fact)

  def wire
    target("wire", [document, RemoteCache::Document::ActionResult.new([], "x").encode],
           RemoteCache::Malformed) do |bytes|
      again = RemoteCache::Document::ActionResult.decode(bytes)
      wrong("what was read is written otherwise") unless
        RemoteCache::Document::ActionResult.decode(again.encode) == again
    end
  end

  def document = @machine.document(@records.pack)

  def documents
    target("document", [document, RemoteCache::Document.new([@machine.entry(@records.pack)] * 3).encode],
           RemoteCache::Malformed) do |bytes|
      choose(bytes)
    end
  end

  # Content signed by a trusted key, as from a compromised builder.
  def inputs
    target("inputs", [@records.inputs]) do |bytes|
      choose(@machine.document(RemoteCache::Entry::Records.new(bytes, bytes, @records.facts).pack))
    end
  end

  def facts
    target("facts", [@records.facts]) do |bytes|
      choose(@machine.document(RemoteCache::Entry::Records.new(@records.inputs, @records.needs, bytes).pack))
    end
  end

  def records
    target("records", [@records.pack, @records.to_a.map(&:b).join], RemoteCache::Malformed) do |bytes|
      [bytes, Zlib.deflate(bytes)].each do |packed|
        RemoteCache::Entry::Records.unpack(packed)
        choose(@machine.document(packed))
      end
    end
  end

  def choose(bytes)
    answer = @machine.choose(bytes)
    return if answer.is_a?(RemoteCache::Builds::Offer)

    wrong("no reasons: #{answer.inspect}") unless answer.is_a?(Array) && answer.all?(String)
  end

  def tars
    tar, facts = @machine.tar
    target("tar", [tar], RemoteCache::Refused) do |bytes|
      @machine.accept(bytes, { **facts, tar_bytes: bytes.bytesize }).each do |entry|
        wrong("took #{entry[:path].inspect}") unless @machine.places.place?(entry[:path])
      end
    end
  end

  # Texts that differ from what a signer would write.
  def entries
    entry = @machine.entry(@records.pack)
    target("entry", [entry.text], RemoteCache::Malformed) do |bytes|
      RemoteCache::Entry.parse(bytes, @machine.signer.sign(bytes), entry.packed)
    end
  end

  def lists
    lines = %w[a b].map do |digit|
      %({ "name":"#{digit * 64}", "type":"file", "mtime":"#{Time.now.httpdate}", "size":7 })
    end
    target("list", ["[\r\n#{lines.join(",\r\n")}\r\n]\r\n"], RemoteCache::HTTP::Listing::None,
           RemoteCache::Unavailable) do |bytes|
      list = RemoteCache::HTTP::Listing.new("cas/", "http://cache.test") { |*facts| listed(*facts) }
      bytes.scan(/.{1,700}/mn) { |piece| list << piece }
      list.finish
    end
  end

  def pages
    page = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>" \
           "<Contents><Key>x/cas/#{"a" * 64}</Key><LastModified>2026-11-01T02:03:04.000Z</LastModified>" \
           "<Size>7</Size></Contents></ListBucketResult>"
    target("page", [page], RemoteCache::Unavailable) do |bytes|
      RemoteCache::S3::Listing.read(bytes, "s3://acme").each("x/") { |*facts| listed(*facts) }
    end
  end

  def listed(name, size, time)
    wrong("lists #{name.inspect}, #{size.inspect}, #{time.inspect}") unless
      RemoteCache::NAME.match?(name) && size.is_a?(Integer) && size >= 0 && time.is_a?(Time)
  end
end
