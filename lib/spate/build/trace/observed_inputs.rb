# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The traced accesses that a build's result depends on. docs/builds.md explains each rule.
      class ObservedInputs
        # Paths of this machine or user that do not affect the result: accounts (perhaps from a server), loader, clock,
        # languages.
        MOMENT = %r{
          \A/(?:var/)?run/(?:nscd/socket|systemd/userdb(?:/[^/]*)?)\z|\A/var/lib/sss/(?:mc|pipes)/|
          \A/etc/(?:ld\.so\.(?:cache|preload)|passwd|group|nsswitch\.conf|localtime|timezone|hosts|resolv\.conf)\z|
          \A/usr/(?:lib|share)/(?:locale|zoneinfo)(?:/|\z)|\A/usr/lib[^/]*/(?:[^/]*/)?gconv/gconv-modules(?:\.\w+)*\z
        }nx
        PROCESSOR = "/proc/cpuinfo"
        LIBRARY = /\.so(?:\.[\w.]+)?\z/
        SET_ID = 0o6000
        # Variables that name folders of configuration and data in addition to the defaults.
        UNSET = /\AXDG_(?:CONFIG|DATA)_/n

        # trace: [Tracer::Trace], one for each attempt. job: Job. started: Inputs.start before the first attempt.
        # written: paths written by this build and by builds running in parallel; since: Inputs.start before the first
        # of these.
        def initialize(trace, job, layout:, reuse_check:, environment:, started:, since: started, written: [])
          @trace = trace
          @reuse_check = reuse_check
          @environment = environment
          @started = started
          @since = since
          @real_paths = RealPaths.new
          @moved = {}
          @written = written.to_h { |path| [path.b, true] }
          @above = reuse_check.above
          @roots = reuse_check.own_roots.values.to_h { |root| [real(root), "#{root}/".b] }
          @bundle = layout.root.b
          @own = below(job.own_paths)
          @elsewhere = @own + @roots.values + environment.places.values.grep(%r{\A/.}n).map { |place| "#{place}/" }
          # Excludes gem specifications, since RubyGems reads all of them and the lockfile determines the gems of a
          # build.
          @known = @own + below([layout.root, *layout.rubygems.path].map { |home| "#{home}/specifications" }) +
                   below([layout.gems, layout.extensions].product(job.needed).map { |place| place.join("/") })
          @gem_homes = below([*layout.rubygems.path, *reuse_check.roots["home"]&.then { |home| "#{home}/.gem" }])
          @ruby = below([Util::Ruby.config("rubylibprefix")])
        end

        # [[kind, path], ...] for Inputs.record. made: Artifacts. A library that was copied into them counts like any
        # file, and a variable counts if they contain its value.
        def inputs(made)
          found = outside.flat_map { |path, kinds| of(path, kinds).map { |kind, *flags| [kind, path, nil, *flags] } }
          found.each { |input| input[0] = :file if input[0] == :library && made.copy?(input[1]) }
          found << [:processor, nil] if processor?
          found + (names | made.baked(places) | led_by(found)).map { |name| [:environment, name] }
        end

        # The inputs for the libraries that the loader must find (needed: names), at the paths where the linker found
        # them.
        def libraries(needed)
          read = outside.filter_map { |path, kinds| path if kinds.include?(:read) && LIBRARY.match?(path) }
          folders = read.map { |path| File.dirname(path) }.uniq
          places = read.to_h { |path| [File.basename(path), path] }
          needed.each { |name| places[name] ||= folders.map { |at| "#{at}/#{name}" }.find { |path| File.file?(path) } }
          places.values_at(*needed).compact.map { |path| [:library, path] } + (processor? ? [[:processor, nil]] : [])
        end

        # Variables whose values count: they were read by name, or are set and mentioned in a text.
        def names
          @names ||= begin
            counted = asked.select { |name| Environment.counts?(name) } -
                      Environment::EVERYDAY.reject { |name| words.say?(name) }
            meant = @environment.mentionable.select { |name| words.mention?(name) }
            (counted + meant + Environment::ALWAYS).uniq.sort
          end
        end

        # The subset of names that Words also finds.
        def found_by_words = names.select { |name| words.mention?(name) }

        # Excludes Ruby's own library, which reads variables by name or passes all of them on.
        def words
          @words ||= begin
            read, run = %i[read run].map { |kind| paths.filter_map { |path, kinds| path if kinds.include?(kind) } }
            texts = read.reject { |path| LIBRARY.match?(path) || MOMENT.match?(path) || below?(path, @ruby) }
            Words.of(texts, removed: @trace.flat_map(&:removed), programs: run,
                            untraced: @trace.flat_map(&:unhooked).uniq)
          end
        end

        def programs = @reuse_check.programs.sought(paths.keys)

        # [Walk]: names looked for in the folders above the bundle.
        def walks = @walks ||= Walk.traced(paths, @bundle, @above)

        # [[variable or "", path]] for Record. The record of inputs stores missing paths of the project relative to the
        # bundle, but the build may have used the absolute path. Paths below a variable's folder are different for other
        # users.
        def missed
          absent = outside.filter_map { |path, kinds| path if of(path, kinds).include?(:absent) }
          as_they_are = absent.select { |path| below?(path, own_above) }.map { |path| ["", @above.abbreviated(path)] }
          as_they_are + (places.keys & Environment::DEFAULTS.keys).flat_map { |name| missed_below(name, absent) }
        end

        # Whether only this bundle can use the result, regardless of its content.
        def bound? = false

        # The reason why the result must not be reused, or nil.
        def doubt = @trace.flat_map(&:trouble).first || connection || elevated || changed

        # A path (String) that was read, checked or passed through and has changed since then, or nil.
        def changed
          outside.each do |path, kinds|
            next if written?(path, kinds) || kinds.first == :absent

            real, links = @real_paths.of(path)
            looked = links.reject { |link| own?(link) || @written.key?(link) }
            looked << real if changes?(path, kinds)
            found = looked.find { |at| touched?(File.lstat(at)) } || moved(real)
            return "#{found} changed during the build" if found
          rescue SystemCallError
            next # recorded as missing
          end
          nil
        end

        private

        # {name => value} of variables that name folders, users and terminals. They count if the result contains their
        # values.
        def places
          @environment.places.select { |name, _| asked.include?(name) || words.mention?(name) }
        end

        # Whether the result depends on the processor model, because the build or a compiler detected it.
        def processor?
          paths.key?(PROCESSOR) || words.say?(Words::NATIVE) ||
            names.any? { |name| @environment.told[name].to_s.include?(Words::NATIVE) }
        end

        def asked = @asked ||= @trace.flat_map(&:names).uniq

        # {path => kinds} of all attempts, in order.
        def paths
          @paths ||= @trace.each_with_object({}) do |trace, all|
            trace.paths.each { |path, kinds| led(path.b, kinds).each { |at, met| (all[at] ||= []).concat(met) } }
          end
        end

        # [[path, kinds]]: the inputs for a traced path. A path reached through the build's own folders is recorded at
        # its real location, with each link that was followed. Other paths are recorded as they were accessed, since
        # updates change the targets of a library's links.
        def led(path, kinds)
          real, links = @real_paths.of(path)
          own, outer = links.partition { |link| own?(link) }
          # For a link made by the build, only the target counts.
          kinds &= %i[read run listed looked] if own.any? && File.symlink?(path)
          return [[told(real), kinds], *linked(outer)] if own.any?
          return [[path, kinds], *linked(place?(path, kinds) ? links : [])] unless path.match?(%r{/\.\.(?:/|\z)}n)

          folder, links = @real_paths.of(File.dirname(path))
          [[told(File.basename(path) == ".." ? real : File.join(folder, File.basename(path))), kinds], *linked(links)]
        end

        # Whether it is a folder that was entered, so that the process may read its path.
        def place?(path, kinds) = kinds.include?(:looked) && File.directory?(path)

        def linked(links) = links.map { |link| [told(link), %i[link]] }

        # A real path, rewritten to begin with a root as the root is spelled.
        def told(path)
          root = @roots.keys.find { |place| path.start_with?(place) }
          root ? @roots[root] + path.delete_prefix(root) : path
        end

        def outside
          @outside ||= paths.reject do |path, kinds|
            real, = @real_paths.of(path)
            there = kinds.first == :absent ? File.dirname(real) : real
            MOMENT.match?(path) || @real_paths.volatile?(there) || known?(real) || chance?(real, kinds) ||
              gem_home?(real, kinds)
          end
        end

        def real(place) = "#{@real_paths.of(place.b).first}/"
        def below(places) = places.map { |place| real(place) }
        def below?(path, places) = "#{path}/".start_with?(*places)

        def own?(path) = below?(path, @own)
        # Whether the path is covered by the build key, or belongs to the build itself.
        def known?(path) = below?(path, @known)

        # Other gems that are in the bundle during a build are irrelevant, except for files that the build reads.
        def chance?(path, kinds) = below?(path, @roots.keys.first(1)) && !kinds.intersect?(%i[read run])

        # Whether the path was only checked by RubyGems as one of its folders, the machine's or the user's.
        def gem_home?(path, kinds) = @gem_homes.include?("#{path}/") && (kinds - %i[absent looked link]).empty?

        # Whether the path is a parent of a folder whose location differs for other users.
        def above?(path) = @elsewhere.any? { |place| place.start_with?("#{path.chomp("/")}/") }

        # Variables that led to an input, since their folders differ for other users. `missed` has missing paths below a
        # variable with a default.
        def led_by(inputs)
          missed, there = inputs.reject { |_, path| path.nil? || written?(path, paths[path]) }
                                .partition { |kind, _| kind == :absent }.map { |some| some.map { |_, path| path } }
          led = @environment.leads.slice(*places.keys).select do |name, leads|
            met = Environment::DEFAULTS.key?(name) ? there : there + missed
            leads.any? { |place| met.any? { |path| led_to?(path, place) } }
          end
          led.keys | unset
        end

        # [[variable, path below its folder]] of missing paths.
        def missed_below(variable, absent)
          @environment.leads.fetch(variable, []).flat_map do |place|
            found = absent.select { |path| path.start_with?("#{place}/") && led_to?(path, place) }
            found.map { |path| [variable, path.delete_prefix("#{place}/")] }
          end.uniq
        end

        def roots_below(place) = @roots.values.select { |root| root.start_with?("#{place}/") }
        def led_to?(path, place) = below?(path, ["#{place}/"]) && !below?(path, roots_below(place))
        def own_above = @above.own.values.map { |folder| "#{folder}/" }

        # Variables without a default that were read but are unset.
        def unset = asked.select { |name| UNSET.match?(name.b) && !@environment.places.key?(name) }

        # The kinds of input that a path is recorded as.
        def of(path, kinds)
          missed = kinds.first == :absent
          return [] if made?(path, kinds) && (!missed || Content.there?(path))
          return nowhere?(path) || walked[path] ? [] : [:absent] if missed

          library = LIBRARY.match?(path)
          found = kinds & %i[run listed]
          found << (library ? :library : :file) if kinds.include?(:read) && !found.include?(:run)
          return found if File.directory?(path) && above?(path)

          link = File.symlink?(path)
          found << looked(path, kinds, library, link) if found.empty? && (kinds.include?(:looked) || !link)
          found << :link if link && kinds.include?(:link) && !library
          found
        end

        # Whether the path is in a missing folder of PATH, which Programs handles.
        def nowhere?(path) = @reuse_check.programs.folder?(folder = File.dirname(path)) && !File.directory?(folder)

        # {path => true} of the names in `walks` that are in the project's folders, which the walk repeats.
        def walked
          @walked ||= @above.own.values.product(walks.map(&:name)).to_h { |folder, name| ["#{folder}/#{name}", true] }
        end

        # make and other programs read a file's time. For a file that was also read, the content is enough; a failed
        # readlink shows that the path is not a link.
        def looked(path, kinds, library, link)
          file = File.file?(path)
          return :library if library && file

          facts = kinds.include?(:looked) ? (:mtime if file) : :type
          [:looked, *facts, *(:nofollow unless link)]
        end

        def written?(path, kinds) = kinds.include?(:written) || @written.key?(path)

        # Whether the build created the file. A file outside its folders that a build writes is either its own or a
        # cache (cargo, ccache). If the build only opened it for writing, or changed its permissions, the content
        # counts.
        def made?(path, kinds)
          since = kinds.include?(:written) ? @started : (@since if @written.key?(path)) or return false
          return true unless Content.there?(path)

          File.lstat(path).mtime >= since ||
            (%i[written absent].include?(kinds.first) && File.lstat(File.dirname(path)).mtime >= since)
        end

        def connection
          path, = paths.find do |at, kinds|
            (kinds.include?(:connected) && !MOMENT.match?(at)) ||
              (kinds.include?(:read) && !written?(at, kinds) && File.pipe?(at))
          end
          "it connected to #{path}" if path
        end

        def elevated
          path, = paths.find { |at, kinds| kinds.include?(:run) && File.file?(at) && File.stat(at).mode & SET_ID != 0 }
          "it ran #{path}, a setuid or setgid program" if path
        end

        def touched?(stat) = Inputs.since?(stat.ctime, @started)

        # The parent of a path that was moved there during the build, perhaps with old files in it. Changed permissions
        # and a copy-up in an overlay also change the path's ctime, but only a new name changes its parent folder.
        def moved(path)
          above = File.dirname(path)
          return if above == path

          @moved.fetch(above) do
            stat, over = [above, File.dirname(above)].map { |folder| File.lstat(folder) }
            came = touched?(stat) && stat.mtime < @started && Inputs.since?(over.mtime, @started)
            @moved[above] = came ? above : moved(above)
          end
        end

        # Whether a change of a file, or of the names in a folder, matters.
        def changes?(path, kinds)
          return kinds.include?(:listed) && !wrote_in?(path) if File.directory?(path)

          File.file?(path) && kinds.intersect?(%i[read run looked])
        end

        def wrote_in?(folder)
          @filled ||= @written.merge(paths.select { |_, kinds| kinds.include?(:written) })
                              .to_h { |path, _| [File.dirname(path), true] }
          @filled.key?(folder)
        end
      end
    end
  end
end
