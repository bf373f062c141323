# frozen_string_literal: true

module Spate
  module Build
    # What a result stands on, of all that was heard of its build. docs/builds.md has each rule with its reason.
    class Learned
      # This moment's, this machine's or this user's, and no matter of what is built: kernel, loader, accounts, clock,
      # languages.
      MOMENT = %r{
        \A/(?:proc|sys|dev|run|var/run)(?:/|\z)|
        \A/etc/(?:ld\.so\.(?:cache|preload)|passwd|group|nsswitch\.conf|localtime|timezone|hosts|resolv\.conf)\z|
        \A/usr/(?:lib|share)/(?:locale|zoneinfo)(?:/|\z)|/gconv/gconv-modules(?:\.\w+)*\z
      }x
      PROCESSOR = "/proc/cpuinfo"
      LIBRARY = /\.so(?:\.[\w.]+)?\z/
      # libc asks a server for accounts, where there is one.
      ACCOUNTS = %r{/(?:nscd/socket|systemd/userdb/[^/]*|sssd/[^/]*|lib/sss/[^/]*)\z}
      SET_ID = 0o6000

      # heard: [Ear::Heard], one for each attempt. job: Job. fit: Fit. environment: Environment. started: Time before
      # the first attempt. gem_homes: where RubyGems looks. written: paths that this build wrote, or another one beside
      # it.
      def initialize(heard, job, fit:, environment:, started:, gem_homes: [], written: [])
        @heard = heard
        @job = job
        @fit = fit
        @environment = environment
        @started = started
        @specifications = gem_homes.map { |home| "#{home}/specifications".b }
        @written = written.to_h { |path| [path.b, true] }
      end

      # [[kind, path], ...] as Inputs.write takes them. processor: whether the result is for this one's kind.
      def inputs(processor: false)
        found = outside.flat_map { |path, kinds| of(path, kinds) }
        found << [:processor, nil] if processor || paths.key?(PROCESSOR)
        (found + names.map { |name| [:environment, name] }).uniq
      end

      # Variables whose values count: asked for by name, or a word of a text and set.
      def names
        asked = @heard.flat_map(&:names).select { |name| Environment.counts?(name) }
        @names ||= (asked - Environment::EVERYDAY.reject { |name| words.say?(name) } + mentioned +
                    Environment::ALWAYS).uniq.sort
      end

      # Of these, those that Words would find as well.
      def found_by_words = names.select { |name| words.mention?(name) }

      def words = @words ||= Words.of(paths.filter_map { |path, kinds| path if kinds.include?(:read) && !ruby?(path) })
      def programs = @fit.programs.sought(paths.keys)

      # [[name, what it is]] of what was looked for in all folders above the bundle.
      def above = above_names.map { |name| [name, @fit.above.digest(name)] }

      # Why nobody may use the result again, or nil.
      def doubt
        @heard.flat_map(&:trouble).first || connection || elevated || changed
      end

      # Of libraries that were read: {basename => path}
      def libraries
        read = outside.filter_map { |path, kinds| path if kinds.include?(:read) && LIBRARY.match?(path) }
        read.to_h { |path| [File.basename(path), path] }
      end

      private

      # {path => kinds}, of all attempts one after the other.
      def paths
        @paths ||= @heard.each_with_object({}) do |heard, all|
          heard.paths.each { |path, kinds| (all[clean(path.b)] ||= []).concat(kinds) }
        end
      end

      def outside
        @outside ||= paths.reject do |path, _|
          MOMENT.match?(path) || own?(path) || specification?(path) || bundles?(path) ||
            @fit.above.covers?(path, above_names)
        end
      end

      def above_names = @above_names ||= @fit.above.sought(paths)

      # What is below the bundle or the home is told from there, so without "..".
      def clean(path)
        return path unless path.include?("/../") || path.end_with?("/..")

        short = File.expand_path(path)
        roots.any? { |root| short.start_with?("#{root}/") } && same_folder?(path, short) ? short : path
      end

      def same_folder?(path, short)
        File.realpath(File.dirname(path)) == File.realpath(File.dirname(short))
      rescue SystemCallError
        false
      end

      # The archive says what is in the gem, and what the build makes is its result.
      def own?(path) = below?(path, own_paths)

      # RubyGems looks through all of them; which gems a build may have is the lockfile's to say.
      def specification?(path) = below?(path, @specifications)
      def below?(path, places) = places.any? { |place| path == place || path.start_with?("#{place}/") }

      # On the way to what is elsewhere for others.
      def above?(path)
        (own_paths + roots).any? { |place| place == path || place.start_with?("#{path.chomp("/")}/") }
      end

      def own_paths = @own_paths ||= @job.own_paths.map(&:b)
      def roots = @roots ||= @fit.roots.values.map(&:b)

      # Of the bundle: gems it depends on and their builds are in the first key; which others are there when a build
      # runs is chance, and only what it read of them counts.
      def bundles?(path)
        root = roots.first
        return false unless path.start_with?("#{root}/") || path == root
        return true unless paths[path].intersect?(%i[read run])

        _, kind, *rest = path.delete_prefix(root).split("/")
        gem = kind == "extensions" ? rest[2] : rest[0]
        %w[gems extensions].include?(kind) && @job.needed.include?(gem.to_s.dup.force_encoding(Encoding::UTF_8))
      end

      def of(path, kinds)
        return [] if kinds.first == :written
        return missed(path, kinds) if kinds.first == :absent
        return [] if written?(path, kinds)

        met(path, kinds)
      end

      # Missed first, and made by a build: its memory, too.
      def missed(path, kinds)
        there = File.exist?(path) || File.symlink?(path)
        (there && written?(path, kinds)) || searched?(path) ? [] : [[:absent, path]]
      end

      # What was not in a folder of PATH is in the names of programs.
      def searched?(path) = @fit.programs.folder?(path) || @fit.programs.folder?(File.dirname(path))

      # What a build reads and writes outside of its folders is its own memory (cargo's and ccache's folders).
      def written?(path, kinds) = kinds.include?(:written) || @written.key?(path)

      def met(path, kinds)
        entries = []
        entries << [:run, path] if kinds.include?(:run)
        entries << [LIBRARY.match?(path) ? :library : :file, path] if kinds.include?(:read) && !kinds.include?(:run)
        entries << [:listed, path] if kinds.include?(:listed)
        return entries if above?(path)

        entries << [:link, path] if kinds.include?(:link) && !LIBRARY.match?(path) && File.symlink?(path)
        entries << [:looked, path] if entries.empty? && kinds.include?(:looked)
        entries
      end

      def mentioned = @environment.mentionable.select { |name| words.mention?(name) }

      # Ruby's own library asks by name for what it wants, or hands all of it on.
      def ruby?(path) = path.start_with?("#{@library ||= RubyBuild.current["rubylibprefix"]}/")

      def connection
        path, = paths.find { |at, kinds| kinds.include?(:connected) && !ACCOUNTS.match?(at) }
        "it was connected with #{path}" if path
      end

      def elevated
        path, = paths.find { |at, kinds| kinds.include?(:run) && File.file?(at) && File.stat(at).mode & SET_ID != 0 }
        "it ran #{path}, which runs as another user" if path
      end

      # Which of its contents was read?
      def changed
        path, = outside.find do |at, kinds|
          kinds.intersect?(%i[read
                              run]) && !written?(at, kinds) && File.file?(at) && File.stat(at).ctime >= @started
        end
        "#{path} changed meanwhile" if path
      end
    end
  end
end
