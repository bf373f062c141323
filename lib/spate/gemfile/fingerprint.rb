# frozen_string_literal: true

require_relative "../gemfile"
require_relative "../inputs"

module Spate
  module Gemfile
    # The inputs of a Gemfile check or Bundler replay, packed into a String: records of Inputs for variables and paths,
    # and glob patterns with a hash of the matching names. Paths in the application are relative to its folder, so that
    # a fingerprint is valid for other checkouts. Uses only core Ruby and spate/native/boot.
    module Fingerprint
      # Variables that affect Bundler and RubyGems, in addition to those that begin with BUNDLE.
      WATCHED = %w[
        GEM_HOME GEM_PATH GEM_SPEC_CACHE GEM_SKIP RUBYGEMS_GEMDEPS RUBYLIB RUBYOPT HOME XDG_CONFIG_HOME XDG_CACHE_HOME
        XDG_DATA_HOME RUBY_BOX
      ].freeze
      # The name under which Ruby's encodings are recorded, as if they were a variable.
      ENCODING = "Encoding"
      # The name under which the user's value of BUNDLE_GEMFILE is recorded if the Gemfile reads it.
      NAMED = "Named Gemfile"

      class << self
        # Returns [bytes, []], or [nil, reasons] if the result must not be cached.
        def of(policy, location, env)
          reasons = policy.refusals
          return [nil, reasons] if reasons.any?

          taken = take(policy, location, env)
          reasons = policy.changing
          reasons.empty? ? taken : [nil, reasons]
        end

        # Like `of`, but ignores the policy's refusals. portable: whether to omit times.
        def take(policy, location, env, portable: false)
          require "tmpdir"
          compared = compared(env, location.gemfile)
          parts = policy.entries.partition { |kind,| kind == :environment }
          names = parts[0].map { |_, name| name } | watched(compared)
          parts[0] = names.map { |name| [:environment, name] }
          Dir.mktmpdir("spate-fingerprint-") do |folder|
            records = parts.map do |part|
              path = File.join(folder, "record")
              message, culprit = Inputs.record(path, part, roots(location.root), env: compared, portable: portable)
              return [nil, ["#{culprit} #{message}, and changed in the meantime"]] if message

              File.binread(path)
            end
            globs = policy.globs.map { |glob| found(roots(location.root), *glob) }
            [Marshal.dump([records[0], names, records[1], globs, policy.bound]), []]
          end
        rescue SystemCallError => e
          [nil, ["the recorded files cannot be read again: #{ErrorSummary.of(e)}"]]
        end

        # Returns nil if nothing changed, :renew if files have new times but the same content, or the change (String).
        def change(bytes, location, env)
          variables, names, *rest = read(bytes)
          changed_variable(variables, names, location, env) || changed_path(*rest, location)
        end

        # Whether only the environment differs.
        def elsewhere?(bytes, location, env)
          variables, names, *rest = read(bytes)
          !changed_variable(variables, names, location, env).nil? && !changed_path(*rest, location).is_a?(String)
        end

        # Returns {kind => [text]} of all inputs, for display.
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

        # The fingerprint for another machine. Yields both records of Inputs as bytes.
        def portable(bytes, &block)
          variables, names, paths, *rest = read(bytes)
          [variables, paths].each(&block)
          Marshal.dump([Inputs.portable(variables), names, Inputs.portable(paths), *rest])
        end

        private

        # Returns [record of variables, their names, record of paths, patterns, Policy#bound].
        def read(bytes) = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad -- from a file of this user's

        # The environment to compare: without Bundler's changes, and without BUNDLE_GEMFILE if it names this Gemfile.
        def compared(env, gemfile)
          clean = Util::Environment.clean(env)
          clean.delete("SPATE_BUNDLER_SETUP")
          clean[ENCODING] = [Encoding.default_external, Encoding.default_internal, Encoding.find("locale")].join(" ")
          named = clean["BUNDLE_GEMFILE"] or return clean

          path = File.expand_path(named)
          clean[NAMED] = "#{named} #{path}"
          clean.delete("BUNDLE_GEMFILE") if [named, path].include?(gemfile)
          clean
        end

        def watched(env) = [*WATCHED, *env.keys.select { |key| key.start_with?("BUNDLE") }]

        def changed_variable(record, names, location, env)
          compared = compared(env, location.gemfile)
          more = (watched(compared) - names).first and return "#{more} is set"
          _, name = Inputs.check(record, {}, env: compared)
          "#{name} has changed" if name
        end

        def changed_path(record, globs, bound, location)
          return "the application is in another folder" if bound && bound != location.root

          roots = roots(location.root)
          answer = Inputs.check(record, roots, env: {})
          return Inputs.explain(*answer) if answer.is_a?(Array)

          folder, pattern = globs.find { |glob| found(roots, *glob.first(3)) != glob }
          pattern ? "the names that #{pattern} finds in #{folder} have changed" : answer
        end

        def roots(root)
          real = File.realpath(root)
          real == root ? { "app" => root } : { "app" => root, "real" => real }
        rescue SystemCallError
          { "app" => root }
        end

        # Returns [folder, pattern, flags, hash of the matching names].
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
