# frozen_string_literal: true

module Spate
  module CLI
    # `spate warm`: turns warm boots of an application on and off, and lists its warm parents (docs/warm.md).
    class Warm < Command
      autoload :Maker, "spate/cli/warm/maker"
      autoload :Place, "spate/cli/warm/place"
      autoload :Reason, "spate/cli/warm/reason"

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
          store = context.store.writable_store
          raise UsageError.new("the store is not writable", hint: "spate doctor") unless store

          Place.new(store, context.location.root)
        end
      end

      def on
        place.on
        return status if json?

        terminal.info("warm boots are on for #{place.root}")
        warn_without_application unless File.file?(application)
        warn_without_front_end(spate_on_path) unless spate_on_path&.then { |path| Setup::FrontEnd.own?(path) }
      end

      def application = File.join(place.root, "#{::Spate::Boot::WarmParent::FILE}.rb")

      def warn_without_application
        terminal.warning("no command will be forked: #{application} is missing",
                         hint: "run `spate warm on` in the folder of a Rails application")
      end

      def warn_without_front_end(path)
        found = path ? "#{path} is not" : "PATH does not contain"
        terminal.warning("no command will be forked: #{found} Spate's native front end", hint: "spate setup")
      end

      def spate_on_path
        folders = context.env["PATH"].to_s.split(File::PATH_SEPARATOR)
        folders.map { |folder| File.join(folder, "spate") }.find { |path| File.file?(path) && File.executable?(path) }
      end

      def off
        ended = place.off
        json? ? status : terminal.info("warm boots are off for #{place.root}: #{Units.count(ended, "parent")} ended")
      end

      def status
        parents = place.parents.select { |parent| parent["root"] == place.root }
        facts = { on: place.on?, root: place.root, parents: parents, refused: place.reason,
                  last_boot: place.last_boot, pauses: place.pauses.to_h }
        return json.call(event: :warm, **facts) if json?

        terminal.out.puts(place.on? ? "on for #{place.root}" : "off for #{place.root}")
        parents.each { |parent| terminal.out.puts line(parent) }
        terminal.out.puts "no parent: #{facts[:refused]}" if refused?(facts[:refused], parents)
        terminal.out.puts last_boot(facts[:last_boot]) if facts[:last_boot]
        facts[:pauses].each { |kind, seconds| terminal.out.puts pause(kind, seconds) }
      end

      # reason: "application development: the loaded application has a thread", or nil.
      def refused?(reason, parents) = reason && parents.none? { |parent| reason.start_with?("#{parent["kind"]}:") }

      # "last boot without a parent at 10:31, application development: config/data.txt changed"
      def last_boot(facts)
        time = Time.at(facts["at"]).strftime("%H:%M")
        "last boot without a parent at #{time}, #{facts["kind"]}: #{facts["reason"]}"
      end

      def pause(kind, seconds)
        "#{kind}: no command has used the last parents; the next one is started in #{seconds} s at the earliest, or " \
          "after `spate warm on`"
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
