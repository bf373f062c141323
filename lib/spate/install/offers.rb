# frozen_string_literal: true

module Spate
  module Install
    # What gem sources offer of the gems in a lockfile that names only platform `ruby`; the planner asks for it. The
    # answers are remembered for a week, for the same lockfile, so that a warm install asks nobody. With --local, or
    # where a frozen bundle has a vendor/cache, it is what that folder has, as with Bundler, and nothing to remember.
    #
    # Text: `time<TAB>seconds`, then for each row `name<TAB>version<TAB>platform<TAB>ruby<TAB>rubygems<TAB>sha256`.
    class Offers
      AGE = 7 * 86_400
      FIELDS = %i[version platform ruby rubygems sha256].freeze

      def initialize(context, lockfile_text)
        @context = context
        @key = "offers-#{Store.sha256("#{RUBY_ENGINE_VERSION}\n#{RUBY_PLATFORM}\n#{lockfile_text}")}"
        @rows = {}
      end

      # As the planner calls it: rows of one gem, Array of Hash.
      def call(name, source)
        return vendor.versions(name).map(&:to_h) if vendored?

        recalled[name] || @rows[name] ||= ask(name, source)
      end

      # Remembers what was asked in this run.
      def keep
        return if @rows.empty?

        lines = @rows.flat_map { |name, rows| rows.map { |row| [name, *row.values_at(*FIELDS)].join("\t") } }
        @context.store.write("verdicts", @key, ["time\t#{Time.now.to_i}", *lines, ""].join("\n"))
      end

      private

      def recalled
        @recalled ||= parse(@context.store.read("verdicts", @key).to_s)
      end

      def parse(text)
        head, *lines = text.lines(chomp: true)
        return {} unless head.to_s.delete_prefix("time\t").to_i > Time.now.to_i - AGE

        lines.map { |line| line.split("\t", -1) }.group_by(&:first).transform_values do |rows|
          rows.map { |_, *values| FIELDS.zip(values.map { |value| value unless value.empty? }).to_h }
        end
      end

      def vendored? = (@context.options.local || @context.settings.frozen?) && vendor.any?

      def vendor = @vendor ||= Registry::Vendor.for(settings: @context.settings, root: @context.location.root)

      def ask(name, source)
        @client ||= Registry::Client.new(settings: @context.settings, events: @context.events,
                                         home: @context.store.home)
        @client.versions(name, source).map(&:to_h)
      end
    end
  end
end
