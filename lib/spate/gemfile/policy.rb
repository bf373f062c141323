# frozen_string_literal: true

require_relative "../inputs"
require_relative "../native"
require_relative "git_commands"

module Spate
  module Gemfile
    # Decides which recorded entries are inputs of an answer, and which prevent caching it. Reads only the type and
    # times of paths.
    #
    # - Files of Ruby's library, RubyGems, Bundler and Spate are not inputs: their versions are.
    # - The installed gems are not an input of the Gemfile check, which runs before they are installed; for the replay
    #   see its own policy. A gem's file that was read is an input of both.
    # - For a path that was only checked, the type counts; also size and permissions if these were read
    #   (child/hooks.rb), and times and links if these were read for any path. If it is unknown what was read,
    #   everything counts.
    # - Folders count by the patterns they were searched by, and by their names if these were read.
    # - Variables count if they were read, and all with Bundler's prefixes.
    class Policy
      ENTRANCE = %w[/dev/null /dev/tty].freeze
      # Folders of a gem home that reveal which gems are installed.
      INSTALLED = %r{\A(?:specifications|gems|extensions|build_info|plugins)(?:/|\z)}
      # Folders whose content the kernel generates.
      KERNELS = %w[/proc /sys].freeze
      # Files that loader and libc read at the start of a program.
      LOADER = %r{\A/etc/ld\.so|\A/(?:usr/)?lib/locale/|/gconv-modules}
      LIBRARY = /\.so(?:\.[\d.]+)?\z/
      # Places that are the same for every application: the system's, and those in HOME that Bundler, RubyGems and git
      # search.
      SYSTEM = %w[/bin /dev /etc /lib /lib32 /lib64 /proc /run /sbin /sys /usr].freeze
      CONFIGURATION = %w[.bundle .cache .config .gem .gemrc .gitconfig .local].freeze
      # Parts of a path or pattern that may lead out of a folder.
      UPWARDS = %r!\.\.|[{,]/!
      ALL = %i[state times links names].freeze
      # Variables of Spate's child, and those in which Bundler saves others.
      OWN_NAMES = /\A(?:SPATE_TRACED_|SPATE_TRACER|#{Util::Environment::PREFIX})/

      # result: Observation::Result; answer: :check or :replay. elsewhere: real path of the folder that the child ran
      # in, used to find what depends on it; nil if that was the application's folder.
      def initialize(result, location, answer, elsewhere: nil)
        @elsewhere = elsewhere
        @told = result.told
        @trace = result.trace
        @location = location
        @part = @told[:parts][answer] || @told[:parts].values.last
        @paths, @names = parts("$SPATE_TRACED_#{answer.upcase}")
        @learnt = @part[:learnt] | (@part[:native] ? ALL : [])
        @roots = [location.root, File.realpath(location.root)].uniq
      end

      # [String]: reasons why the answer must not be cached.
      def refusals
        [*@part[:volatile], *commands, *@trace.trouble.map { |text| text == "network" ? "opens a socket" : text },
         *@paths.filter_map { |path, kinds| refusal(path, kinds) }].uniq
      end

      # Git commands whose output may depend on more than git's files.
      def commands
        known = @part[:runs].grep(/\bgit\b/)
        return ["runs git without tracing"] if known.empty? && git?

        known.reject { |words| GitCommands.stable?(words) }
             .map { |words| "runs `#{words[0, 60]}`, whose output may differ each time" }
      end

      # [[kind, path, nil, *flags]] for Inputs.record.
      def entries
        @entries ||= [*@paths.flat_map { |path, kinds| entry(plain(path), kinds) }, *version, *preloaded, *asked,
                      *@names.map { |name| [:environment, name] }, *named, *zone, *encoding, *gems].uniq
      end

      # [[folder, pattern, flags]]
      def globs
        return versions if @learnt.include?(:names)

        searched = @part[:globs].reject do |folder, pattern, _, own|
          path = File.join(*(folder unless pattern.start_with?("/")), pattern)
          library?(path) || (installed?(path) && !own) || path.match?(USERINFO)
        end
        searched.map { |folder, pattern, flags| glob(folder, pattern, flags) }.uniq + versions
      end

      # The application's folder if the answer is valid only for this checkout, because some inputs are beside or above
      # the application, where they may differ for another checkout. nil if all inputs are in the application, or in
      # places that are the same for every application.
      def bound
        looked = entries.filter_map { |kind, path| path unless kind == :environment }
        searched = globs.map { |folder, pattern,| File.join(folder, pattern) }
        gems = @told[:check].path_specs.map(&:folder).grep(%r{\A/})
        @location.root unless [*looked, *searched, *gems].all? { |path| anywhere?(path) }
      end

      # Whether any input depends on the folder that the child ran in.
      def here?
        return true if @learnt.include?(:here)

        @paths.any? do |path, kinds|
          elsewhere?(path) && (path != @elsewhere || kinds != [:looked] || @learnt.intersect?(ALL))
        end
      end

      attr_reader :elsewhere

      # Sentences about changes after the child had entered the tracer, judging by the times of a path, or of a folder
      # or link in it.
      def changing
        @moved = {}
        read = self.read.filter_map { |path, stamp| path if after?(Time.at(0, stamp[2], :nsec)) }
        others = watched.filter_map { |path, kinds| path if moved?(path) || (kinds.first != :absent && gone?(path)) }
        (read | others).first(3).map { |path| "#{path} changed in the meantime" }
      end

      # Whether the times cannot prove when a change happened.
      def unproven?
        read.any? { |path, stamp| Native.doubt(path, *stamp.values_at(0, 1, 2, 4), @told[:entered]) }
      end

      private

      # [[path, kinds]]
      def watched
        @paths.reject do |path, kinds|
          kinds.include?(:written) || elsewhere?(path) || library?(path) || unwatched?(path)
        end
      end

      # Gems that are about to be installed.
      def unwatched?(path) = installed?(path)

      # {path => stamp}
      def read
        read = watched.filter_map { |path, kinds| path if kinds.intersect?(%i[read listed]) }
        read.to_h { |path| [path, Native.stat(path)] }.compact
      end

      def moved?(path)
        @moved.fetch(path) do
          @moved[path] = false # ends the recursion for links that point to each other
          @moved[path] = path != "/" && (moved?(File.dirname(path)) || late?(path))
        end
      end

      # Adding and removing names also changes a folder's mtime; moving the folder changes the mtime of its parent.
      def late?(path)
        info = File.lstat(path)
        return true if info.symlink? && moved?(File.expand_path(File.readlink(path), File.dirname(path)))

        after?(info.ctime) && (!info.directory? || info.mtime != info.ctime || after?(File.lstat("#{path}/..").mtime))
      rescue SystemCallError
        false
      end

      def after?(time) = Inputs.since?(time, Time.at(0, @told[:entered] - Native::RACY_NS, :nsec))

      # Whether a path was found but has vanished; it would be recorded as absent.
      def gone?(path)
        File.lstat(path)
        false
      rescue Errno::ENOENT, Errno::ENOTDIR
        true
      rescue SystemCallError
        false
      end

      def parts(mark)
        entries = @trace.entries
        stop = entries.index { |text, _| text == mark } || entries.size
        entries = entries.first(stop)
        names = entries.filter_map { |text, _| text[1..] if text.start_with?("$") }
        [entries.select { |text, _| text.start_with?("/") }, names.grep_v(OWN_NAMES)]
      end

      def git? = @paths.any? { |path, kinds| kinds.include?(:run) && git_program?(path) }

      # Whether it is the folder of git's own files, which git lists for references and objects.
      def gits?(path)
        @gits ||= @paths.filter_map { |one,| one.delete_suffix("/refs") if one.end_with?("/refs") }
        below?(path, @gits)
      end

      def git_program?(path) = File.basename(path).match?(/\Agit(?:-|\z)/)

      def refusal(path, kinds)
        return if ENTRANCE.include?(path)
        return "opens a socket" if kinds.include?(:connected)
        return "runs #{command(path)}" if kinds.include?(:run) && !git_program?(path)
        return if kinds.include?(:run)
        return "writes #{path}" if kinds.include?(:written)

        "reads #{path}, whose content differs each time" if live?(path, kinds)
      end

      # Whether it was read, and is a device or generated by the kernel.
      def live?(path, kinds)
        return false unless kinds.intersect?(%i[read listed link])

        real = File.join(File.realpath(File.dirname(path)), File.basename(path))
        return true if below?(real, KERNELS)
        return live?(File.expand_path(File.readlink(real), File.dirname(real)), kinds) if File.symlink?(real)

        File.exist?(real) && !%w[file directory].include?(File.ftype(real))
      rescue SystemCallError, SystemStackError
        below?(path, KERNELS)
      end

      def command(path)
        words = @part[:runs].find { |text| File.basename(text.split.first.to_s) == File.basename(path) }
        words ? "`#{words[0, 60]}` (#{path})" : path
      end

      def entry(path, kinds)
        return [] if ENTRANCE.include?(path) || elsewhere?(path) || library?(path) || kinds.first == :written
        return [] if [LOADER, USERINFO].any? { |pattern| path.match?(pattern) }
        return [] if installed?(path) && !of_gem?(path, kinds)
        return [[:absent, path]] if kinds.first == :absent
        return there(path, kinds) if !kinds.intersect?(%i[read run]) || File.directory?(path)

        [[path.match?(LIBRARY) ? :library : :file, path], *(there(path, kinds) if @learnt.intersect?(ALL))]
      end

      def there(path, kinds)
        names = kinds.include?(:listed) && (@learnt.include?(:names) || gits?(path))
        [([:looked, path, nil, *flag(path)] unless kinds == [:link]), linked(path, kinds),
         ([:listed, path] if names), *ways(path)].compact
      end

      # Links to folders in a path: reads inside such a folder are recorded by its real path from then on.
      def ways(path)
        return [] if path == "/" || !File.directory?(path) || @roots.any? { |root| below?(root, [path]) }

        [([:link, path] if File.symlink?(path)), *ways(File.dirname(path))].compact
      end

      def flag(path)
        return :mtime if @learnt.include?(:times) && !common?(path)

        :type unless @learnt.include?(:state)
      end

      # The fact that a path is not a link counts only if links were read.
      def linked(path, kinds)
        links = @learnt.include?(:links)
        return [:link, path] if (links || kinds.include?(:link)) && File.symlink?(path)

        [:looked, path, nil, :nofollow, :type] if links
      end

      # Whether Bundler and RubyGems always search the place.
      def common?(path)
        path == @told[:home] || @told[:gem_path].include?(path) ||
          @roots.any? { |root| root.start_with?("#{path.chomp("/")}/") }
      end

      # Paths whose size, permissions or names were read.
      def asked
        paths = @part[:asked].map { |path| plain(path) }.reject do |path|
          library?(path) || elsewhere?(path)
        end
        paths.flat_map { |path| [[:looked, path], *([[:listed, path]] if File.directory?(path))] }
      end

      # A path with ".." in plain form, if it leads to its textual target without links.
      def plain(path)
        return path unless path.include?("/..")

        clean = File.expand_path(path)
        File.realpath(File.dirname(clean)) == File.realpath(File.dirname(path)) ? clean : path
      rescue SystemCallError
        path
      end

      # Files that RUBYOPT loaded before the tracing began.
      def preloaded = @told[:preloaded].map { |path| [:file, path] }

      # Bundler and RubyGems themselves, and this Ruby's configuration.
      def version
        ["#{library("bundler")}/version.rb", "#{library("rubygems")}.rb", *Util::Ruby.config_path]
          .map { |path| [:file, path] }
      end

      def library(name) = @told[:libraries].find { |path| path.end_with?("/#{name}") }

      def versions
        names = ["bundler", *@part[:defaults]]
        homes = @told[names.one? ? :gem_home : :gem_path]
        homes.product(names).map { |home, name| ["#{home}/specifications", "#{name}-[0-9]*.gemspec", 0] }
      end

      # The locale affects how results are decoded, unless all of them are ASCII and no encoding was read.
      def encoding
        texts = @paths.lazy.reject { |path,| shared?(path) }.flat_map { |path, kinds| texts(path, kinds) }
        plain = !git? && !@learnt.include?(:encoding) && texts.all?(&:ascii_only?)
        plain ? [] : [[:environment, Fingerprint::ENCODING]]
      end

      # A path, and the texts that may have come from it.
      def texts(path, kinds)
        [path, *(File.binread(path) if kinds.include?(:read) && File.file?(path)),
         *(Dir.children(path) if kinds.include?(:listed) && File.directory?(path)),
         *(File.readlink(path) if kinds.include?(:link) && File.symlink?(path))]
      end

      # Whether the path belongs to the system or to a gem.
      def shared?(path) = library?(path) || installed?(path) || below?(path, SYSTEM)

      # The variable if it is set, otherwise the file.
      def zone = @learnt.include?(:zone) ? [[:environment, "TZ"], [:file, "/etc/localtime"]] : []

      # The user's value of BUNDLE_GEMFILE.
      def named = @learnt.include?(:gemfile) ? [[:environment, Fingerprint::NAMED]] : []

      # The installed gems, if the Gemfile loads a gem or fails to find one.
      def gems
        read = @paths.any? { |path, kinds| installed?(path) && of_gem?(path, kinds) && !library?(path) }
        read || @learnt.include?(:gems) ? installed : []
      end

      def installed
        homes = @told[:gem_path].map { |home| "#{home}/specifications" }
        [*homes, @told[:default_specifications]].map { |folder| names(folder) }
      end

      def names(folder) = [File.directory?(folder) ? :listed : :absent, folder]

      # Whether a path has the same content for another checkout.
      def anywhere?(path)
        return false if path.match?(UPWARDS)

        path == @told[:home] || library?(path) || below?(path, @roots) || below?(path, fixed)
      end

      def fixed
        @fixed ||= [*SYSTEM, RbConfig::CONFIG["prefix"], *@told[:gem_home],
                    *CONFIGURATION.map { |name| "#{@told[:home]}/#{name}" }]
                   .reject { |one| @roots.any? { |root| below?(root, [one]) } }
      end

      def below?(path, folders) = folders.any? { |folder| path == folder || path.start_with?("#{folder}/") }
      def elsewhere?(path) = @elsewhere && (path == @elsewhere || path.start_with?("#{@elsewhere}/"))
      def library?(path) = @told[:libraries].any? { |folder| path.start_with?(folder) }

      # Whether the path reveals which gems are installed, unless the application itself is there.
      def installed?(path)
        @told[:gem_path].any? do |home|
          path.start_with?("#{home}/") && path[(home.size + 1)..].match?(INSTALLED) &&
            @roots.none? { |root| root.start_with?("#{home}/") }
        end
      end

      # Whether the path is a file of a gem that was read.
      def of_gem?(path, kinds)
        kinds.include?(:read) && @told[:gem_path].any? { |home| path.start_with?("#{home}/gems/") }
      end

      def glob(folder, pattern, flags)
        pattern = plain(pattern) if pattern.start_with?("/")
        root = @roots.find { |one| pattern.start_with?("#{one}/") }
        return [root, pattern.delete_prefix("#{root}/"), flags] if root

        pattern.start_with?("/") ? ["/", pattern, flags] : [folder, pattern, flags]
      end
    end
  end
end
