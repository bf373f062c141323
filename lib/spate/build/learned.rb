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

      # heard: [Ear::Heard], one for each attempt. job: Job. layout: Layout. fit: Fit. environment: Environment.
      # started: Time before the first attempt. written: paths that this build wrote, or another one beside it.
      def initialize(heard, job, layout:, fit:, environment:, started:, written: [])
        @heard = heard
        @fit = fit
        @environment = environment
        @started = started
        @written = written.to_h { |path| [path.b, true] }
        @roots = below(fit.roots.values)
        @own = below(job.own_paths)
        # RubyGems looks through all specifications; which gems a build may have is the lockfile's to say.
        @known = @own + below([layout.root, *layout.rubygems.path].map { |home| "#{home}/specifications" }) +
                 below([layout.gems, layout.extensions].product(job.needed).map { |place| place.join("/") })
        @ruby = below([RubyBuild.current["rubylibprefix"]])
      end

      # [[kind, path], ...] as Inputs.write takes them. processor: whether the result is for this one's kind.
      def inputs(processor)
        found = outside.flat_map { |path, kinds| of(path, kinds).map { |kind| [kind, path] } }
        found << [:processor, nil] if processor
        found + names.map { |name| [:environment, name] }
      end

      def processor? = paths.key?(PROCESSOR)

      # The same of what the loader must find, names of libraries: by the name in the file, where the linker found it.
      def libraries(needed, processor)
        read = outside.filter_map { |path, kinds| path if kinds.include?(:read) && LIBRARY.match?(path) }
        folders = read.map { |path| File.dirname(path) }.uniq
        places = read.to_h { |path| [File.basename(path), path] }
        needed.each { |name| places[name] ||= folders.map { |at| "#{at}/#{name}" }.find { |path| File.file?(path) } }
        places.values_at(*needed).compact.map { |path| [:library, path] } + (processor ? [[:processor, nil]] : [])
      end

      # Variables whose values count: asked for by name, or a word of a text and set.
      def names
        @names ||= begin
          asked = @heard.flat_map(&:names).select { |name| Environment.counts?(name) }
          asked -= Environment::EVERYDAY.reject { |name| words.say?(name) }
          meant = @environment.mentionable.select { |name| words.mention?(name) }
          (asked + meant + Environment::ALWAYS).uniq.sort
        end
      end

      # Of these, those that Words would find as well.
      def found_by_words = names.select { |name| words.mention?(name) }

      # Ruby's own library asks by name for what it wants, or hands all of it on.
      def words
        @words ||= Words.of(paths.filter_map { |path, kinds| path if kinds.include?(:read) && !below?(path, @ruby) })
      end

      def programs = @fit.programs.sought(paths.keys)

      # [[name, what it is]] of what was looked for in all folders above the bundle.
      def above = above_names.map { |name| [name, @fit.above.digest(name)] }

      # Why nobody may use the result again, or nil.
      def doubt = @heard.flat_map(&:trouble).first || connection || elevated || changed

      private

      # {path => kinds}, of all attempts one after the other.
      def paths
        @paths ||= @heard.each_with_object({}) do |heard, all|
          heard.paths.each { |path, kinds| (all[clean(path.b)] ||= []).concat(kinds) }
        end
      end

      def outside
        higher = @fit.above.places(above_names)
        @outside ||= paths.reject do |path, kinds|
          MOMENT.match?(path) || below?(path, @known) || chance?(path, kinds) || higher.include?(path)
        end
      end

      def above_names = @above_names ||= @fit.above.sought(paths)

      # What is below the bundle or the home is told from there, so without "..".
      def clean(path)
        return path unless path.match?(%r{/\.\.(?:/|\z)}n) && below?(short = File.expand_path(path), @roots)

        File.realpath(File.dirname(path)) == File.realpath(File.dirname(short)) ? short : path
      rescue SystemCallError
        path
      end

      def below(places) = places.map { |place| "#{place}/".b }
      def below?(path, places) = "#{path}/".start_with?(*places)

      # Which other gems are in the bundle when a build runs is chance, and only what it read of them counts.
      def chance?(path, kinds) = below?(path, @roots.first(1)) && !kinds.intersect?(%i[read run])

      # On the way to what is elsewhere for others.
      def above?(path) = (@own + @roots).any? { |place| place.start_with?("#{path.chomp("/")}/") }

      # As what it counts.
      def of(path, kinds)
        missed = kinds.first == :absent
        return [] if kinds.first == :written || (written?(path, kinds) && (!missed || there?(path)))
        return searched?(path) ? [] : [:absent] if missed

        library = LIBRARY.match?(path)
        found = kinds & %i[run listed]
        found << (library ? :library : :file) if kinds.include?(:read) && !found.include?(:run)
        return found if above?(path)

        found << :link if kinds.include?(:link) && !library && File.symlink?(path)
        found.empty? ? kinds & %i[looked] : found
      end

      def there?(path) = File.exist?(path) || File.symlink?(path)

      # What was not in a folder of PATH is in the names of programs.
      def searched?(path) = [path, File.dirname(path)].any? { |folder| @fit.programs.folder?(folder) }

      # What a build reads and writes outside of its folders is its own memory (cargo's and ccache's folders).
      def written?(path, kinds) = kinds.include?(:written) || @written.key?(path)

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
          kinds.intersect?(%i[read run]) && !written?(at, kinds) && File.file?(at) && File.stat(at).ctime >= @started
        end
        "#{path} changed meanwhile" if path
      end
    end
  end
end
