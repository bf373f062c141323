# frozen_string_literal: true

require_relative "../gemfile"
require_relative "../inputs"
require_relative "environment"

module Spate
  module Gemfile
    # What an answer of Bundler's stands on, as one String: a record of Inputs, and patterns, whose names are looked for
    # again. Paths of the application are relative to its folder, so that another checkout of it finds the same.
    # Core Ruby and spate/native/boot.
    module Basis
      APPLICATION = "app"
      REAL = "real"

      class << self
        # [bytes, nil], or [nil, reason] where something is not as it was heard. entries, globs: see Policy.
        def take(entries, globs, location, env, portable: false)
          require "tmpdir"
          compared = Environment.compared(env, location.gemfile)
          names = entries.filter_map { |kind, name| name if kind == :environment }
          entries += (Environment.watched(compared) - names).map { |name| [:environment, name] }
          Dir.mktmpdir("spate-basis-") do |folder|
            records = entries.partition { |kind,| kind == :environment }.map do |part|
              path = File.join(folder, "record")
              message, culprit = Inputs.write(path, part, roots(location.root), env: compared, portable: portable)
              return [nil, "#{culprit} #{message}, and changes just now"] if message

              File.binread(path)
            end
            [Marshal.dump([*records, found(globs, location.root), bound(entries, location.root)]), nil]
          end
        end

        # nil where all of it is the same, :renew where it is and only contents showed it, else what changed (String).
        def change(bytes, location, env)
          environment, *rest = read(bytes)
          another(environment, location, env) || other(*rest, location)
        end

        # Whether it is the environment alone that is another.
        def elsewhere?(bytes, location, env)
          environment, *rest = read(bytes)
          !another(environment, location, env).nil? && !other(*rest, location).is_a?(String)
        end

        # {kind => [text]}, all of it for people.
        def describe(bytes)
          environment, paths, globs, = read(bytes)
          all = Hash.new { |hash, kind| hash[kind] = [] }
          [environment, paths].each do |record|
            Inputs.each(record) do |kind, root, path|
              all[kind] << [*("." if root), *(path unless root && path == ".")].join("/")
            end
          end
          globs.each { |folder, pattern,| all[:pattern] << (folder == "/" ? pattern : "#{pattern} in #{folder}") }
          all
        end

        def roots(root)
          real = File.realpath(root)
          real == root ? { APPLICATION => root } : { APPLICATION => root, REAL => real }
        rescue SystemCallError
          { APPLICATION => root }
        end

        private

        # [record of variables, of paths, patterns, folder that it is bound to]
        def read(bytes) = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad -- of a place of our own

        def another(record, location, env)
          compared = Environment.compared(env, location.gemfile)
          answer = Inputs.check(record, {}, env: compared)
          variable(record, *answer.first(2), compared) if answer.is_a?(Array)
        end

        def other(record, globs, bound, location)
          return "the application lies in another folder" if bound && bound != location.root

          answer = Inputs.check(record, roots(location.root), env: {})
          return Inputs.sentence(*answer) if answer.is_a?(Array)

          folder, pattern = globs.find { |one, *asked, names| names(absolute(one, location.root), *asked) != names }
          pattern ? "the names that #{pattern} finds in #{absolute(folder, location.root)} have changed" : answer
        end

        def variable(record, reason, name, env)
          return Inputs.sentence(reason, name) if reason == :record
          return "#{name} has changed" unless name == Environment::NAMES

          recorded = {}
          Inputs.each(record) { |_, _, one, facts| recorded[one] = facts[:sha256] }
          more = Environment.watched(env).find { |one| !recorded.key?(one) } and return "#{more} is set"

          gone = recorded.keys.find { |one| one.start_with?("BUNDLE") && recorded[one].nil? == env.key?(one) }
          "#{gone || "what is set of Bundler's variables"} has changed"
        end

        def found(globs, root)
          globs.map do |folder, pattern, flags|
            [relative(folder, root), pattern, flags, names(folder, pattern, flags)]
          end
        end

        def names(folder, pattern, flags)
          Native.content_hash(nil, Dir.glob(pattern, flags.to_i, base: folder).sort.join("\n"))
        end

        def relative(path, root)
          roots(root).each_value do |one|
            return "." if path == one
            return "./#{path.delete_prefix("#{one}/")}" if path.start_with?("#{one}/")
          end
          path
        end

        def absolute(path, root) = path.start_with?("/") ? path : File.join(root, path).delete_suffix("/.")

        # A path that goes up by ".." is of this folder alone.
        def bound(entries, root)
          folders = roots(root).values.map { |folder| "#{folder}/" }
          root if entries.any? { |_, path| path&.include?("/..") && path&.start_with?(*folders) }
        end
      end
    end
  end
end
