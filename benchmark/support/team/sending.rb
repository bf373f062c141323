# frozen_string_literal: true

require "support/team/fill"

module Benchmark
  module Team
    # Measures the cost of sending, compared with the install, and many machines that send the same entries at once.
    class Sending
      CLIENTS = 50
      SHARE = 0.02
      COLUMNS = ["", "entries", "sent", "of one, at most"].freeze

      # {kind => how often each entry was sent completely}. The server responds with 201 if it stored the entry, and
      # with 200 if it already had it.
      def self.sent(requests)
        taken = requests.filter_map { |verb, path, status| path if verb == "PUT" && status == 201 }.tally
        blobs, documents = taken.partition { |path, _| path.start_with?("/cas/") }
        { "blobs" => blobs.map(&:last), "documents" => documents.map(&:last) }
      end

      # fill: Fill of the application that is sent. few: Fill of a small application, which many machines send.
      def initialize(world, fill, few, rounds:)
        @world = world
        @fill = fill
        @few = few
        @rounds = rounds
      end

      def tables = [share, crowd]

      private

      def share
        runs = Array.new(@rounds) do
          FileUtils.rm_rf(Dir.glob("#{@world.far.kept(:sent)}/{ac,cas}"))
          @fill.send_to(:sent)
        end
        cpu = Figures.median(runs.map { |run| run.sample.cpu })
        table = Table.new("all of an install is sent", ["", "wall s", "user + sys s", "of the install's"])
        part = @fill.cpu && (cpu / @fill.cpu)
        table.row("the install, all compiled", "", format("%.2f", @fill.cpu || 0), "")
        table.row("spate cache push", Figures.spread(runs.map { |run| run.sample.wall }),
                  Figures.spread(runs.map { |run| run.sample.cpu }), format("%.2f %%", (part || 0) * 100))
        table.note(Goals.words([["at most #{(SHARE * 100).to_i} % of the install's", part && part <= SHARE]]))
      end

      def crowd
        @world.far.empty
        @world.far.requests(:serve)
        failed = @few.crowd(:serve, CLIENTS)
        verified = @few.verify(@world.far.kept(:serve))
        sent = Sending.sent(@world.far.requests(:serve))
        table = Table.new("#{CLIENTS} machines send the same to spate-serve at once", COLUMNS)
        sent.each { |kind, counts| table.row(kind, counts.size, counts.sum, counts.max) }
        table.note(Goals.words([["each blob sent once more than needed, at most", sent["blobs"].max <= 2],
                                ["each document, too", sent["documents"].max <= 2],
                                ["nothing torn", verified], ["no failures", failed.zero?]]))
      end
    end
  end
end
