# frozen_string_literal: true

require_relative "../gemfile"
require_relative "../inputs"
require_relative "environment"

module Spate
  module Gemfile
    # What an answer of Bundler's stands on, as one String: records of Inputs for variables and for paths, and patterns,
    # whose names are looked for again. Paths of the application are relative to its folder, so that another checkout of
    # it finds the same. Core Ruby and spate/native/boot.
    module Fingerprint
      class << self
        # [bytes, []], or [nil, reasons] where what was heard is not for keeping.
        def of(policy, location, env)
          reasons = policy.refusals
          return [nil, reasons] if reasons.any?

          taken = take(policy, location, env)
          reasons = policy.changing
          reasons.empty? ? taken : [nil, reasons]
        end

        # As `of`, of what is to be kept. portable: without times.
        def take(policy, location, env, portable: false)
          require "tmpdir"
          compared = Environment.compared(env, location.gemfile)
          parts = policy.entries.partition { |kind,| kind == :environment }
          names = parts[0].map { |_, name| name } | Environment.watched(compared)
          parts[0] = names.map { |name| [:environment, name] }
          Dir.mktmpdir("spate-basis-") do |folder|
            records = parts.map do |part|
              path = File.join(folder, "record")
              message, culprit = Inputs.write(path, part, roots(location.root), env: compared, portable: portable)
              return [nil, ["#{culprit} #{message}, and changes just now"]] if message

              File.binread(path)
            end
            globs = policy.globs.map { |glob| found(roots(location.root), *glob) }
            [Marshal.dump([records[0], names, records[1], globs, policy.bound]), []]
          end
        rescue SystemCallError => e
          [nil, ["what was heard cannot be read again: #{e.message}"]]
        end

        # nil where all of it is the same, :renew where it is and only contents showed it, else what changed (String).
        def change(bytes, location, env)
          variables, names, *rest = read(bytes)
          another(variables, names, location, env) || other(*rest, location)
        end

        # Whether it is the environment alone that is another.
        def elsewhere?(bytes, location, env)
          variables, names, *rest = read(bytes)
          !another(variables, names, location, env).nil? && !other(*rest, location).is_a?(String)
        end

        # {kind => [text]}, all of it for people.
        def describe(bytes)
          variables, _, paths, globs, = read(bytes)
          all = Hash.new { |hash, kind| hash[kind] = [] }
          [variables, paths].each do |record|
            Inputs.each(record) do |kind, root, path|
              all[kind] << [*("." if root), *(path unless root && path == ".")].join("/")
            end
          end
          globs.each { |folder, pattern,| all[:pattern] << (folder == "/" ? pattern : "#{pattern} in #{folder}") }
          all
        end

        private

        # [record of variables, their names, record of paths, patterns, folder that it is bound to]
        def read(bytes) = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad -- of a place of our own

        def another(record, names, location, env)
          compared = Environment.compared(env, location.gemfile)
          more = (Environment.watched(compared) - names).first and return "#{more} is set"
          _, name = Inputs.check(record, {}, env: compared)
          "#{name} has changed" if name
        end

        def other(record, globs, bound, location)
          return "the application lies in another folder" if bound && bound != location.root

          roots = roots(location.root)
          answer = Inputs.check(record, roots, env: {})
          return Inputs.sentence(*answer) if answer.is_a?(Array)

          folder, pattern = globs.find { |glob| found(roots, *glob.first(3)) != glob }
          pattern ? "the names that #{pattern} finds in #{folder} have changed" : answer
        end

        def roots(root)
          real = File.realpath(root)
          real == root ? { "app" => root } : { "app" => root, "real" => real }
        rescue SystemCallError
          { "app" => root }
        end

        # [folder, pattern, flags, print of the names that it finds]
        def found(roots, folder, pattern, flags)
          base = roots.values.find { |one| folder == one || folder.start_with?("#{one}/") }
          folder = ".#{folder.delete_prefix(base)}" if base
          names = Dir.glob(pattern, flags.to_i, base: folder.start_with?("/") ? folder : roots["app"] + folder[1..])
          [folder, pattern, flags, Native.content_hash(nil, names.sort.join("\n"))]
        end
      end
    end
  end
end
