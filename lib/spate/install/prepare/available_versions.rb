# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Looks up which platform variants of a gem its source has, if the lockfile contains only the platform `ruby`. The
      # results are stored for a week per lockfile, so that a warm install makes no requests. With --local, or for a
      # frozen bundle with vendor/cache, uses vendor/cache instead, as in Bundler, and stores nothing.
      #
      # Format of the stored text: `time<TAB>seconds`, then for each row
      # `name<TAB>version<TAB>platform<TAB>ruby<TAB>rubygems<TAB>address`.
      class AvailableVersions
        AGE = 7 * 86_400
        FORMAT = "offers 2"
        FIELDS = %i[version platform ruby rubygems content_address].freeze

        def initialize(context, lockfile_text)
          @context = context
          @lockfile_text = lockfile_text
          @memories = {} # joined domains of a source section => Memory
          @asked = {} # domains with new results
        end

        # Called by the planner. Returns the variants of one gem as [Hash].
        def call(name, source)
          return @context.vendor.versions(name).map { |info| vendored(name, info) } if vendored?

          domain = source.remotes.map { |remote| @context.sources.remotes.for(remote).domain }.join
          memory(domain).rows[name] ||= ask(domain, name, source)
        end

        # Stores the results of this run.
        def keep
          @asked.each_key do |domain|
            @context.store.write("checks", key(domain), text(memory(domain)))
          end
        end

        private

        # The name of a content-addressed gem contains neither platform nor Ruby.
        def vendored(name, info)
          return info.to_h unless ContentAddress::FORM.match?(address = info.platform)

          package = Package.new(name: name, version: info.version, platform: address, source: nil)
          facts = Specification::RubygemsMetadata.requirements(@context.vendor.find(package), package)
          eligible = ContentAddress.eligible?(facts[:platform], facts[:ruby])
          eligible ? info.to_h.merge(facts, content_address: address) : info.to_h
        rescue Error
          info.to_h # an invalid file, which is reported when it is installed
        end

        # Stored results for the gems of a source section. rows: { name => [Hash] }. time: in seconds.
        Memory = Struct.new(:time, :rows)
        private_constant :Memory

        # The key includes the domain, since the results may depend on the credentials.
        def memory(domain) = @memories[domain] ||= parse(@context.store.read("checks", key(domain)).to_s)

        def key(domain)
          "offers-#{Store.sha256("#{FORMAT}\n#{RUBY_ENGINE_VERSION}\n#{RUBY_PLATFORM}\n#{domain}\n#{@lockfile_text}")}"
        end

        def parse(text)
          head, *lines = text.lines(chomp: true)
          time = head.to_s.delete_prefix("time\t").to_i
          return Memory.new(Time.now.to_i, {}) unless time > Time.now.to_i - AGE

          Memory.new(time, lines.map { |line| line.split("\t", -1) }.group_by(&:first).transform_values do |rows|
            rows.map { |_, *values| FIELDS.zip(values.map { |value| value unless value.empty? }).to_h }
          end)
        end

        def text(memory)
          rows = memory.rows.flat_map { |name, all| all.map { |row| line(name, row.values_at(*FIELDS)) } }
          ["time\t#{memory.time}", *rows, ""].join("\n")
        end

        # A row of the stored text. Requirements may have several parts, which are joined by "&".
        def line(name, values) = [name, *values.map { |value| Array(value).join("&") }].join("\t")

        def vendored? = (@context.options.local || @context.settings.frozen?) && @context.vendor.any?

        def ask(domain, name, source)
          @asked[domain] = true
          @context.sources.client.versions(name, source).map(&:to_h)
        end
      end
    end
  end
end
