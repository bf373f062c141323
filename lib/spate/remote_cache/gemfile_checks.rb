# frozen_string_literal: true

module Spate
  module RemoteCache
    # Shares Bundler's evaluations of an application's Gemfile between machines. An evaluation is valid if all of its
    # inputs are the same, as with an evaluation on this machine.
    class GemfileChecks
      KIND = "check"
      # The name of the payload in messages about secrets.
      PAYLOAD = "Bundler's answer"

      # trust: Trust.
      def initialize(location:, settings:, store:, trust:)
        @known = { location: location, settings: settings, store: store }
        @location = location
        @env = settings.env
        @settings = settings
        @store = store
        @trust = trust
      end

      # The current key of the document.
      def key = Gemfile::Check.key(@location, @settings)

      # The Gemfile::Facts of the first trusted and valid evaluation, which is also stored. Otherwise returns the
      # reasons ([String]).
      def choose(document)
        records, reasons = Document.select_trusted(document, @trust, KIND, key) { |entry| record(entry) }
        records.each do |record|
          usable = record.usable?(@env, @location)
          return record.part(0).tap { Gemfile::Check.adopt(record, **@known) } if usable == true

          reasons << usable
        end
        reasons
      end

      # [Push::Parcel] with a valid evaluation by this machine's Bundler, or []. key: the key under which it is stored.
      def parcels(key)
        own = @store.writable_store ? Gemfile::Check.kept(@store, key).to_a : []
        own.select { |record| record.usable?(@env, @location) == true }.first(1).map { |record| parcel(key, record) }
      end

      private

      def parcel(key, record)
        payload = payload(record)
        facts = { key: key, kind: KIND, id: Store.sha256(payload)[0, 16] }
        Push::Parcel.new(**facts, name: name, offer: ->(signer) { offer(facts, payload, signer) })
      rescue Refused, SystemCallError => e
        Push::Parcel.new(key: key, kind: KIND, name: name, id: "", offer: ->(_) { e.message })
      end

      def name = File.basename(@location.gemfile)

      def offer(facts, payload, signer)
        what = Entry.of_lockfile(File.binread(@location.lockfile))
        [Entry.sign({ **facts, what: what }, Entry::Records.new("", "", payload).pack, signer), nil]
      rescue SystemCallError, Refused => e
        e.message
      end

      # The bytes to send. The same on all machines with the same evaluation. Raises Refused.
      def payload(record)
        secrets = Builds::Secrets.new(Util::Environment.clean(@env), @settings)
        print = Gemfile::Fingerprint.portable(record.head[:fingerprint]) do |bytes|
          items = items(bytes)
          doubt = secrets.doubt(items) || secrets.personal(items, @env["HOME"].to_s, tools) and raise Refused, doubt
        end
        Marshal.dump([print, record.part(0)]).tap { |payload| secrets.watch.call(PAYLOAD, payload) }
      end

      # Folders that Bundler always reads, even if they are in the home: its settings, Ruby and gems.
      def tools
        rubygems = Layout.for(@settings, @location.root, store: @store, lockfile: @location.lockfile).rubygems
        [File.dirname(@settings.folders.global_config.to_s), Util::Ruby.config("prefix"), *rubygems.path]
      end

      # The inputs. Paths in the home are relative to the root "home", as in the inputs of builds.
      def items(record)
        home = "#{@env["HOME"]}/"
        Inputs.each(record).map do |kind, root, path, facts|
          below = root.nil? && path.start_with?(home)
          below ? [kind, "home", path.delete_prefix(home), facts] : [kind, root, path, facts]
        end
      end

      # Raises Malformed.
      def record(entry)
        # Marshal is safe, since the signer is trusted to run code on this machine.
        print, facts = Marshal.load(Entry::Records.unpack(entry.packed).facts) # rubocop:disable Security/MarshalLoad
        raise Malformed, "a malformed Gemfile check" unless print.is_a?(String) && facts.is_a?(Gemfile::Facts)

        Gemfile::Record.of(@location, { fingerprint: print, signer: [entry.signer, entry.made] }, facts)
      rescue ArgumentError, TypeError
        raise Malformed, "a damaged Gemfile check"
      end
    end
  end
end
