# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Selects the inputs of a build from its traced accesses. docs/builds.md explains each rule.
      class ObservedInputs
        # Paths of the machine that do not affect the result: accounts (perhaps from a server), the dynamic loader, time
        # zones, locales.
        TRANSIENT = %r{
          \A/(?:var/)?run/(?:nscd/socket|systemd/userdb(?:/[^/]*)?)\z|\A/var/lib/sss/(?:mc|pipes)/|
          \A/etc/(?:ld\.so\.(?:cache|preload)|passwd|group|nsswitch\.conf|localtime|timezone|hosts|resolv\.conf)\z|
          \A/usr/(?:lib|share)/(?:locale|zoneinfo)(?:/|\z)|\A/usr/lib[^/]*/(?:[^/]*/)?gconv/gconv-modules(?:\.\w+)*\z
        }nx
        PROCESSOR = "/proc/cpuinfo"
        LIBRARY = /\.so(?:\.[\w.]+)?\z/
        SET_ID = 0o6000
        # Variables that name additional folders of configuration and data.
        UNSET = /\AXDG_(?:CONFIG|DATA)_/n

        # trace: [Tracer::Trace], one for each attempt. job: Job. started: the value of Inputs.start before the first
        # attempt. written: paths that this build and parallel builds wrote. since: the value of Inputs.start before the
        # first of these builds.
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
          # Gem specifications are not inputs. RubyGems reads all of them, but the lockfile determines the gems of a
          # build.
          @known = @own + below([layout.root, *layout.rubygems.path].map { |home| "#{home}/specifications" }) +
                   below([layout.gems, layout.extensions].product(job.needed).map { |place| place.join("/") })
          @gem_homes = below([*layout.rubygems.path, *reuse_check.roots["home"]&.then { |home| "#{home}/.gem" }])
          @ruby = below([Util::Ruby.config("rubylibprefix")])
        end

        # Returns [[kind, path], ...] for Inputs.record. made: Artifacts. A library that was copied into the artifacts
        # is recorded as a file. A variable is an input if the artifacts contain its value.
        def inputs(made)
          found = outside.flat_map { |path, kinds| of(path, kinds).map { |kind, *flags| [kind, path, nil, *flags] } }
          found.each { |input| input[0] = :file if input[0] == :library && made.copy?(input[1]) }
          found << [:processor, nil] if processor?
          found + (names | made.baked(places) | variables_leading_to(found)).map { |name| [:environment, name] }
        end

        # The runtime requirements: the libraries that the artifacts need (needed: names), at the paths where the linker
        # found them.
        def libraries(needed)
          read = outside.filter_map { |path, kinds| path if kinds.include?(:read) && LIBRARY.match?(path) }
          folders = read.map { |path| File.dirname(path) }.uniq
          places = read.to_h { |path| [File.basename(path), path] }
          needed.each { |name| places[name] ||= folders.map { |at| "#{at}/#{name}" }.find { |path| File.file?(path) } }
          places.values_at(*needed).compact.map { |path| [:library, path] } + (processor? ? [[:processor, nil]] : [])
        end

        # Variables whose values are inputs: they were read by name, or they are set and a file that the build read
        # mentions them.
        def names
          @names ||= begin
            counted = names_read.select { |name| Environment.counts?(name) } -
                      Environment::EVERYDAY.reject { |name| words.contain?(name) }
            meant = @environment.countable_names.select { |name| words.mention?(name) }
            (counted + meant + Environment::ALWAYS).uniq.sort
          end
        end

        # The subset of `names` that Words also finds.
        def found_by_words = names.select { |name| words.mention?(name) }

        # The words of the files that the build read. Excludes Ruby's standard library, which reads variables by name or
        # passes all of them on.
        def words
          @words ||= begin
            read, run = %i[read run].map { |kind| paths.filter_map { |path, kinds| path if kinds.include?(kind) } }
            texts = read.reject { |path| LIBRARY.match?(path) || TRANSIENT.match?(path) || below?(path, @ruby) }
            Words.of(texts, removed: @trace.flat_map(&:removed), programs: run,
                            untraced: @trace.flat_map(&:unhooked).uniq)
          end
        end

        def programs = @reuse_check.programs.searched(paths.keys)

        # [Walk]: names that were searched in the folders above the bundle.
        def walks = @walks ||= Walk.traced(paths, @bundle, @above)

        # [[variable or "", path]] for Record. These complement the record of inputs, which stores missing paths of the
        # project only relative to the bundle, although the build may have used the absolute path. Paths below a
        # variable's folder are stored relative to it, because they differ for other users.
        def missed
          absent = outside.filter_map { |path, kinds| path if of(path, kinds).include?(:absent) }
          as_they_are = absent.select { |path| below?(path, own_above) }.map { |path| ["", @above.abbreviated(path)] }
          as_they_are + (places.keys & Environment::DEFAULTS.keys).flat_map { |name| missing_below(name, absent) }
        end

        # Whether only this bundle can use the result, regardless of the files' content.
        def bound? = false

        # Returns the reason (String) why other bundles must not use the result, or nil.
        def doubt = @trace.flat_map(&:trouble).first || connection || elevated || changed

        # Returns "PATH changed during the build" if an input or a link on the way to it has changed, otherwise nil.
        def changed
          outside.each do |path, kinds|
            next if written?(path, kinds) || kinds.first == :absent

            real, links = @real_paths.of(path)
            checked = links.reject { |link| own?(link) || @written.key?(link) }
            checked << real if changes?(path, kinds)
            found = checked.find { |at| touched?(File.lstat(at)) } || moved(real)
            return "#{found} changed during the build" if found
          rescue SystemCallError
            next # recorded as missing
          end
          nil
        end

        private

        # {name => value} of variables that name folders, users and terminals. They are inputs only if the result
        # contains their values.
        def places
          @environment.places.select { |name, _| names_read.include?(name) || words.mention?(name) }
        end

        # Whether the build or a compiler detected the processor model, so that the result depends on it.
        def processor?
          paths.key?(PROCESSOR) || words.contain?(Words::NATIVE) ||
            names.any? { |name| @environment.variables[name].to_s.include?(Words::NATIVE) }
        end

        def names_read = @names_read ||= @trace.flat_map(&:names).uniq

        # {path => kinds} of all attempts, in order.
        def paths
          @paths ||= @trace.each_with_object({}) do |trace, all|
            trace.paths.each { |path, kinds| resolve(path.b, kinds).each { |at, met| (all[at] ||= []).concat(met) } }
          end
        end

        # Returns [[path, kinds]] for a traced path. A path that was accessed through the build's folders is recorded as
        # its real path, together with each link that was followed. Other paths are recorded as they were accessed,
        # because an update of a library changes the targets of its links.
        def resolve(path, kinds)
          real, links = @real_paths.of(path)
          own, outer = links.partition { |link| own?(link) }
          # If the build created the link, only the target is an input.
          kinds &= %i[read run listed looked] if own.any? && File.symlink?(path)
          return [[root_spelling(real), kinds], *linked(outer)] if own.any?
          return [[path, kinds], *linked(place?(path, kinds) ? links : [])] unless path.match?(%r{/\.\.(?:/|\z)}n)

          folder, links = @real_paths.of(File.dirname(path))
          path = File.basename(path) == ".." ? real : File.join(folder, File.basename(path))
          [[root_spelling(path), kinds], *linked(links)]
        end

        # Whether the path is a folder that the process may have entered, and whose real path it may have read.
        def place?(path, kinds) = kinds.include?(:looked) && File.directory?(path)

        def linked(links) = links.map { |link| [root_spelling(link), %i[link]] }

        # Rewrites a real path below a root so that it begins with the root's path as configured, which may contain
        # links.
        def root_spelling(path)
          root = @roots.keys.find { |place| path.start_with?(place) }
          root ? @roots[root] + path.delete_prefix(root) : path
        end

        def outside
          @outside ||= paths.reject do |path, kinds|
            real, = @real_paths.of(path)
            there = kinds.first == :absent ? File.dirname(real) : real
            TRANSIENT.match?(path) || @real_paths.volatile?(there) || known?(real) ||
              only_checked_in_bundle?(real, kinds) || gem_home?(real, kinds)
          end
        end

        def real(place) = "#{@real_paths.of(place.b).first}/"
        def below(places) = places.map { |place| real(place) }
        def below?(path, places) = "#{path}/".start_with?(*places)

        def own?(path) = below?(path, @own)
        # Whether the build key covers the path, or the path belongs to the build itself.
        def known?(path) = below?(path, @known)

        # Whether the path is in the bundle and was only checked or listed. Other gems may be in the bundle by chance.
        def only_checked_in_bundle?(path, kinds)
          below?(path, @roots.keys.first(1)) && !kinds.intersect?(%i[read run])
        end

        # Whether the path is a gem folder of the machine or the user that RubyGems only checked.
        def gem_home?(path, kinds) = @gem_homes.include?("#{path}/") && (kinds - %i[absent looked link]).empty?

        # Whether the path is a parent of a folder whose path differs for other users.
        def above?(path) = @elsewhere.any? { |place| place.start_with?("#{path.chomp("/")}/") }

        # Variables whose folder contains an input. They are inputs because other users have different folders. `missed`
        # records missing paths below a variable that has a default.
        def variables_leading_to(inputs)
          missed, there = inputs.reject { |_, path| path.nil? || written?(path, paths[path]) }
                                .partition { |kind, _| kind == :absent }.map { |some| some.map { |_, path| path } }
          leading = @environment.named_folders.slice(*places.keys).select do |name, folders|
            met = Environment::DEFAULTS.key?(name) ? there : there + missed
            folders.any? { |place| met.any? { |path| leads_to?(path, place) } }
          end
          leading.keys | unset
        end

        # [[variable, path relative to its folder]] of missing paths.
        def missing_below(variable, absent)
          @environment.named_folders.fetch(variable, []).flat_map do |place|
            found = absent.select { |path| path.start_with?("#{place}/") && leads_to?(path, place) }
            found.map { |path| [variable, path.delete_prefix("#{place}/")] }
          end.uniq
        end

        def roots_below(place) = @roots.values.select { |root| root.start_with?("#{place}/") }
        def leads_to?(path, place) = below?(path, ["#{place}/"]) && !below?(path, roots_below(place))
        def own_above = @above.own.values.map { |folder| "#{folder}/" }

        # Variables without a default that were read but are unset.
        def unset = names_read.select { |name| UNSET.match?(name.b) && !@environment.places.key?(name) }

        # Returns the kinds of inputs to record for a path.
        def of(path, kinds)
          missed = kinds.first == :absent
          return [] if created_by_build?(path, kinds) && (!missed || Content.exist?(path))
          return in_missing_folder?(path) || walked[path] ? [] : [:absent] if missed

          library = LIBRARY.match?(path)
          found = kinds & %i[run listed]
          found << (library ? :library : :file) if kinds.include?(:read) && !found.include?(:run)
          return found if File.directory?(path) && above?(path)

          link = File.symlink?(path)
          found << checked_input(path, kinds, library, link) if found.empty? && (kinds.include?(:looked) || !link)
          found << :link if link && kinds.include?(:link) && !library
          found
        end

        # Whether the path is in a missing folder of PATH, which Programs handles.
        def in_missing_folder?(path)
          folder = File.dirname(path)
          @reuse_check.programs.folder?(folder) && !File.directory?(folder)
        end

        # {path => true} of the paths in the project's folders that `walks` covers.
        def walked
          @walked ||= @above.own.values.product(walks.map(&:name)).to_h { |folder, name| ["#{folder}/#{name}", true] }
        end

        # The input for a path that was only checked, not read. make and other programs read a file's mtime. A failed
        # readlink shows that the path is not a link.
        def checked_input(path, kinds, library, link)
          file = File.file?(path)
          return :library if library && file

          facts = kinds.include?(:looked) ? (:mtime if file) : :type
          [:looked, *facts, *(:nofollow unless link)]
        end

        def written?(path, kinds) = kinds.include?(:written) || @written.key?(path)

        # Whether the build created the file. A file that a build writes outside its folders is a temporary file or a
        # cache (cargo, ccache). If the build only opened the file for writing or changed its permissions, its content
        # is an input.
        def created_by_build?(path, kinds)
          since = kinds.include?(:written) ? @started : (@since if @written.key?(path)) or return false
          return true unless Content.exist?(path)

          File.lstat(path).mtime >= since ||
            (%i[written absent].include?(kinds.first) && File.lstat(File.dirname(path)).mtime >= since)
        end

        def connection
          path, = paths.find do |at, kinds|
            (kinds.include?(:connected) && !TRANSIENT.match?(at)) ||
              (kinds.include?(:read) && !written?(at, kinds) && File.pipe?(at))
          end
          "it connected to #{path}" if path
        end

        def elevated
          path, = paths.find { |at, kinds| kinds.include?(:run) && File.file?(at) && File.stat(at).mode & SET_ID != 0 }
          "it ran #{path}, a setuid or setgid program" if path
        end

        def touched?(stat) = Inputs.since?(stat.ctime, @started)

        # Returns a folder above the path that was moved there during the build, perhaps with old files in it, or nil. A
        # change of permissions or a copy-up in an overlay also updates the folder's ctime, but only a move updates the
        # mtime of its parent.
        def moved(path)
          above = File.dirname(path)
          return if above == path

          @moved.fetch(above) do
            stat, over = [above, File.dirname(above)].map { |folder| File.lstat(folder) }
            came = touched?(stat) && stat.mtime < @started && Inputs.since?(over.mtime, @started)
            @moved[above] = came ? above : moved(above)
          end
        end

        # Whether a change of the file, or of the names in the folder, affects the result.
        def changes?(path, kinds)
          return kinds.include?(:listed) && !written_in?(path) if File.directory?(path)

          File.file?(path) && kinds.intersect?(%i[read run looked])
        end

        def written_in?(folder)
          @filled ||= @written.merge(paths.select { |_, kinds| kinds.include?(:written) })
                              .to_h { |path, _| [File.dirname(path), true] }
          @filled.key?(folder)
        end
      end
    end
  end
end
