# frozen_string_literal: true

module Spate
  module CLI
    class Warm < Command
      # Finds out why a command was not forked from a parent. Runs in the background, after the command has booted.
      class Reason
        # records: {kind => paths of the records that the front end has looked for}. env: the command's environment
        # (Hash).
        def initialize(place, streams, records, env)
          @place = place
          @streams = streams
          @records = records
          @env = env
        end

        def to_s
          own = @place.parents.select { |parent| parent["root"] == @place.root }.group_by { |parent| parent["kind"] }
          all = own.values_at(*@records.keys).compact.flatten
          same = all.find { |parent| @records[parent["kind"]].include?(parent["record"]) }
          return difference(same) if same
          return "there was no parent" if all.empty?
          return "the parent has other streams" if all.none? { |parent| parent["streams"] == @streams }

          "the parent differs in program, Gemfile, Spate, umask, limits, priority, processors, namespaces or rights"
        end

        private

        def difference(parent)
          changed = InPlace::RecordReader.new(File.binread(parent["record"])).changed_path
          return "#{changed.delete_prefix("#{@place.root}/")} changed" if changed

          names = variables(parent)
          names.any? ? "another value of #{names.first(5).join(", ")}" : "the parent did not accept the command"
        rescue SystemCallError
          "the parent has ended"
        end

        # Names of variables whose values differ. Those of terminals are listed only if nothing else differs.
        def variables(parent)
          own = File.binread("/proc/#{parent["pid"]}/environ").split("\0").to_h { |entry| entry.split("=", 2) }
          own.delete(::Spate::Boot::WarmParent::ROLE)
          given = @env.to_h { |name, value| [name.b, value.b] }
          names = (own.keys | given.keys).reject { |name| own[name] == given[name] }.sort
          others = names.reject { |name| InPlace::SESSION.any? { |word| File.fnmatch(word, name) } }
          others.any? ? others : names
        end
      end
    end
  end
end
