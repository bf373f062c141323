# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Which variants gem sources have of the gems in a lockfile that names only platform `ruby`. The answers are
      # remembered for a week, for the same lockfile, so that a warm install asks nobody. With --local, or where a
      # frozen bundle has a vendor/cache, that folder answers, as with Bundler, and nothing is remembered.
      #
      # Text: `time<TAB>seconds`, then for each row `name<TAB>version<TAB>platform<TAB>ruby<TAB>rubygems<TAB>address`.
      class AvailableVersions
        AGE = 7 * 86_400
        FORMAT = "offers 2"
        FIELDS = %i[version platform ruby rubygems content_address].freeze

        def initialize(context, lockfile_text)
          @context = context
          @lockfile_text = lockfile_text
          @memories = {} # domains of a section, joined => Memory
          @asked = {} # those of which something is new
        end

        # As the planner calls it: rows of one gem, Array of Hash.
        def call(name, source)
          return @context.vendor.versions(name).map { |info| vendored(name, info) } if vendored?

          domain = source.remotes.map { |remote| @context.sources.remotes.for(remote).domain }.join
          memory(domain).rows[name] ||= ask(domain, name, source)
        end

        # Remembers what was asked in this run.
        def keep
          @asked.each_key do |domain|
            @context.store.write("verdicts", key(domain), text(memory(domain)))
          end
        end

        private

        # The name of a content-addressed gem tells neither its platform nor its Ruby.
        def vendored(name, info)
          return info.to_h unless ContentAddress::FORM.match?(address = info.platform)

          package = Package.new(name: name, version: info.version, platform: address, source: nil)
          facts = Specification::RubygemsMetadata.fitness(@context.vendor.find(package), package)
          eligible = ContentAddress.eligible?(facts[:platform], facts[:ruby])
          eligible ? info.to_h.merge(facts, content_address: address) : info.to_h
        rescue Error
          info.to_h # an odd file; whoever installs it says so
        end

        # What is known of a section's gems: rows, { name => Array of Hash }, since time, seconds.
        Memory = Struct.new(:time, :rows)
        private_constant :Memory

        # Other ways of asking may have other answers.
        def memory(domain) = @memories[domain] ||= parse(@context.store.read("verdicts", key(domain)).to_s)

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

        # A requirement may have several parts.
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
