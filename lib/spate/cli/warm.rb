# frozen_string_literal: true

module Spate
  module CLI
    # `spate warm`: turns warm boots of an application on and off, and shows its parents (docs/warm.md).
    class Warm < Command
      autoload :Maker, "spate/cli/warm/maker"
      autoload :Place, "spate/cli/warm/place"

      SUBCOMMANDS = %w[on off status].freeze

      summary "Fork commands from a preloaded application"
      usage "spate warm on        turn warm boots on for this application"
      usage "spate warm off       turn them off, and end its parents"
      usage "spate warm status    list the parents, or why there is none"
      bundle_options
      common_options
      example "spate warm on", "later runs of rails, rake and rspec start from a loaded application"
      note "Never used with CI set, or in production. If a file or variable that the application used while loading\n" \
           "has changed, the command boots as usual. See docs/warm.md."

      def run
        name, *rest = operands
        name ||= "status"
        unless SUBCOMMANDS.include?(name) && rest.empty?
          raise UsageError.new("unknown command `spate warm #{operands.join(" ")}`", hint: "spate warm --help")
        end

        send(name)
        0
      end

      private

      def place
        @place ||= begin
          store = context.store.keeper or raise UsageError.new("the store is not writable", hint: "spate doctor")
          Place.new(store, context.location.root)
        end
      end

      def on
        place.on
        json? ? status : terminal.tell("warm boots are on for #{place.root}")
      end

      def off
        ended = place.off
        json? ? status : terminal.tell("warm boots are off for #{place.root}: #{Units.count(ended, "parent")} ended")
      end

      def status
        parents = place.parents.select { |parent| parent["root"] == place.root }
        facts = { on: place.on?, root: place.root, parents: parents, refused: place.reason }
        return json.call(event: :warm, **facts) if json?

        terminal.out.puts(place.on? ? "on for #{place.root}" : "off for #{place.root}")
        parents.each { |parent| terminal.out.puts line(parent) }
        terminal.out.puts "no parent: #{facts[:refused]}" if facts[:refused] && parents.empty?
      end

      # "application development: process 4711, 92.1 MB, since 10:31"
      def line(parent)
        memory = File.read("/proc/#{parent["pid"]}/smaps_rollup")[/^Pss:\s+(\d+)/, 1].to_i << 10
        since = Time.at(parent["at"]).strftime("%H:%M")
        "#{parent["kind"]}: process #{parent["pid"]}, #{Units.bytes(memory)}, since #{since}"
      rescue SystemCallError
        "#{parent["kind"]}: process #{parent["pid"]}"
      end
    end
  end
end
