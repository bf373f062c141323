# frozen_string_literal: true

require_relative "../inputs"
require_relative "../native"
require_relative "git_commands"

module Spate
  module Gemfile
    # Determines which traced entries are inputs of a result, and which ones prevent caching it. Accesses only the type
    # and times of paths.
    #
    # - Files of the standard library, RubyGems, Bundler and Spate are not inputs, but their versions are.
    # - The installed gems are not an input of the Gemfile check, which runs before they are installed. For the replay,
    #   see Setup::Policy. A gem's file that was read is an input of both.
    # - If a path was only checked, its type is the input, and its size and permissions if these were read
    #   (child/hooks.rb). Times and links are inputs if they were read for any path. If it is unknown what was read,
    #   all of these are inputs.
    # - The inputs of a folder are the results of glob patterns, and its list of names if that was read.
    # - Variables are inputs if they were read or have one of Bundler's prefixes.
    class Policy
      IGNORED_DEVICES = %w[/dev/null /dev/tty].freeze
      # Folders of a gem home that show which gems are installed.
      INSTALLED = %r{\A(?:specifications|gems|extensions|build_info|plugins)(?:/|\z)}
      # Folders whose content the kernel generates.
      KERNELS = %w[/proc /sys].freeze
      # Files that the dynamic loader and libc read when a program starts.
      LOADER = %r{\A/etc/ld\.so|\A/(?:usr/)?lib/locale/|/gconv-modules}
      LIBRARY = /\.so(?:\.[\d.]+)?\z/
      # Folders that are the same for every application: the system's, and those below HOME that Bundler, RubyGems and
      # git search.
      SYSTEM = %w[/bin /dev /etc /lib /lib32 /lib64 /proc /run /sbin /sys /usr].freeze
      CONFIGURATION = %w[.bundle .cache .config .gem .gemrc .gitconfig .local].freeze
      # Matches a part of a path or pattern that may lead out of a folder.
      LEADS_OUT = %r!\.\.|[{,]/!
      ALL = %i[state times links names].freeze
      # Variables of Spate's child process, and variables in which Bundler saves others.
      OWN_NAMES = /\A(?:SPATE_TRACED_|SPATE_TRACER|#{Util::Environment::PREFIX})/

      # result: Observation::Result; answer: :check or :replay. elsewhere: real path of the child's working directory,
      # to detect inputs that depend on it, or nil if it was the application's folder.
      def initialize(result, location, answer, elsewhere: nil)
        @elsewhere = elsewhere
        @report = result.report
        @trace = result.trace
        @location = location
        @part = @report[:parts][answer] || @report[:parts].values.last
        @paths, @names = parts("$SPATE_TRACED_#{answer.upcase}")
        @observed = @part[:observed] | (@part[:native] ? ALL : [])
        @roots = [location.root, File.realpath(location.root)].uniq
      end

      # [String]: reasons why the result must not be cached.
      def refusals
        [*@part[:volatile], *commands, *@trace.trouble.map { |text| text == "network" ? "opens a socket" : text },
         *@paths.filter_map { |path, kinds| refusal(path, kinds) }].uniq
      end

      # Reasons for git commands whose output may depend on more than git's files.
      def commands
        known = @part[:runs].grep(/\bgit\b/)
        return ["runs git without tracing"] if known.empty? && git?

        known.reject { |words| GitCommands.stable?(words) }
             .map { |words| "runs `#{words[0, 60]}`, whose output may differ each time" }
      end

      # [[kind, path, nil, *flags]] for Inputs.record.
      def entries
        @entries ||= [*@paths.flat_map { |path, kinds| entry(plain(path), kinds) }, *version, *preloaded, *stat_inputs,
                      *@names.map { |name| [:environment, name] }, *named, *zone, *encoding, *gems].uniq
      end

      # [[folder, pattern, flags]]
      def globs
        return versions if @observed.include?(:names)

        searched = @part[:globs].reject do |folder, pattern, _, own|
          path = File.join(*(folder unless pattern.start_with?("/")), pattern)
          library?(path) || (installed?(path) && !own) || path.match?(USERINFO)
        end
        searched.map { |folder, pattern, flags| glob(folder, pattern, flags) }.uniq + versions
      end

      # Returns the application's folder if the result is valid only for this checkout, because some inputs are in
      # folders that may differ for another checkout. Returns nil if all inputs are in the application, or in folders
      # that are the same for every application.
      def bound
        looked = entries.filter_map { |kind, path| path unless kind == :environment }
        searched = globs.map { |folder, pattern,| File.join(folder, pattern) }
        gems = @report[:check].path_specs.map(&:folder).grep(%r{\A/})
        @location.root unless [*looked, *searched, *gems].all? { |path| same_for_every_checkout?(path) }
      end

      # Whether any input depends on the child's working directory.
      def depends_on_folder?
        return true if @observed.include?(:here)

        @paths.any? do |path, kinds|
          elsewhere?(path) && (path != @elsewhere || kinds != [:looked] || @observed.intersect?(ALL))
        end
      end

      attr_reader :elsewhere

      # Returns [String] about inputs that changed after tracing started, based on the times of a path and of folders
      # and links on the way to it.
      def changing
        @moved = {}
        read = self.read.filter_map { |path, stamp| path if after?(Time.at(0, stamp[2], :nsec)) }
        others = watched.filter_map { |path, kinds| path if moved?(path) || (kinds.first != :absent && removed?(path)) }
        (read | others).first(3).map { |path| "#{path} changed in the meantime" }
      end

      # Whether the times of an input are too unreliable to detect changes.
      def times_unreliable?
        read.any? { |path, stamp| Native.doubt(path, *stamp.values_at(0, 1, 2, 4), @report[:entered]) }
      end

      private

      # [[path, kinds]]
      def watched
        @paths.reject do |path, kinds|
          kinds.include?(:written) || elsewhere?(path) || library?(path) || unwatched?(path)
        end
      end

      # Whether changes of the path are expected, because gems are about to be installed.
      def unwatched?(path) = installed?(path)

      # {path => stamp}
      def read
        read = watched.filter_map { |path, kinds| path if kinds.intersect?(%i[read listed]) }
        read.to_h { |path| [path, Native.stat(path)] }.compact
      end

      def moved?(path)
        @moved.fetch(path) do
          @moved[path] = false # ends the recursion for circular links
          @moved[path] = path != "/" && (moved?(File.dirname(path)) || changed_since_start?(path))
        end
      end

      # Whether the path was changed or moved after tracing started. Adding and removing files updates both ctime and
      # mtime of a folder. Moving the folder updates its ctime and the mtime of its parent.
      def changed_since_start?(path)
        info = File.lstat(path)
        return true if info.symlink? && moved?(File.expand_path(File.readlink(path), File.dirname(path)))

        after?(info.ctime) && (!info.directory? || info.mtime != info.ctime || after?(File.lstat("#{path}/..").mtime))
      rescue SystemCallError
        false
      end

      def after?(time) = Inputs.since?(time, Time.at(0, @report[:entered] - Native::RACY_NS, :nsec))

      # Whether a path that was found has been removed since. Inputs would record it as absent.
      def removed?(path)
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

      # Whether the path is in a repository's git directory, whose folders git lists to find references and objects.
      def gits?(path)
        @gits ||= @paths.filter_map { |one,| one.delete_suffix("/refs") if one.end_with?("/refs") }
        below?(path, @gits)
      end

      def git_program?(path) = File.basename(path).match?(/\Agit(?:-|\z)/)

      def refusal(path, kinds)
        return if IGNORED_DEVICES.include?(path)
        return "opens a socket" if kinds.include?(:connected)
        return "runs #{command(path)}" if kinds.include?(:run) && !git_program?(path)
        return if kinds.include?(:run)
        return "writes #{path}" if kinds.include?(:written)

        "reads #{path}, whose content differs each time" if live?(path, kinds)
      end

      # Whether the path was read and is a device or generated by the kernel.
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
        return [] if IGNORED_DEVICES.include?(path) || elsewhere?(path) || library?(path) || kinds.first == :written
        return [] if [LOADER, USERINFO].any? { |pattern| path.match?(pattern) }
        return [] if installed?(path) && !of_gem?(path, kinds)
        return [[:absent, path]] if kinds.first == :absent
        return existing_path(path, kinds) if !kinds.intersect?(%i[read run]) || File.directory?(path)

        [[path.match?(LIBRARY) ? :library : :file, path], *(existing_path(path, kinds) if @observed.intersect?(ALL))]
      end

      def existing_path(path, kinds)
        names = kinds.include?(:listed) && (@observed.include?(:names) || gits?(path))
        [([:looked, path, nil, *flag(path)] unless kinds == [:link]), linked(path, kinds),
         ([:listed, path] if names), *links_on_path(path)].compact
      end

      # The links to folders in a path. The trace contains later accesses in such a folder with the real path.
      def links_on_path(path)
        return [] if path == "/" || !File.directory?(path) || @roots.any? { |root| below?(root, [path]) }

        [([:link, path] if File.symlink?(path)), *links_on_path(File.dirname(path))].compact
      end

      def flag(path)
        return :mtime if @observed.include?(:times) && !common?(path)

        :type unless @observed.include?(:state)
      end

      # The input for a link. That a path is not a link is an input only if links were read.
      def linked(path, kinds)
        links = @observed.include?(:links)
        return [:link, path] if (links || kinds.include?(:link)) && File.symlink?(path)

        [:looked, path, nil, :nofollow, :type] if links
      end

      # Whether Bundler and RubyGems always check the folder.
      def common?(path)
        path == @report[:home] || @report[:gem_path].include?(path) ||
          @roots.any? { |root| root.start_with?("#{path.chomp("/")}/") }
      end

      # Paths whose size, permissions or names were read.
      def stat_inputs
        paths = @part[:asked].map { |path| plain(path) }.reject do |path|
          library?(path) || elsewhere?(path)
        end
        paths.flat_map { |path| [[:looked, path], *([[:listed, path]] if File.directory?(path))] }
      end

      # Removes ".." from a path, unless that would change its target because of links.
      def plain(path)
        return path unless path.include?("/..")

        clean = File.expand_path(path)
        File.realpath(File.dirname(clean)) == File.realpath(File.dirname(path)) ? clean : path
      rescue SystemCallError
        path
      end

      # Files that RUBYOPT loaded before tracing started.
      def preloaded = @report[:preloaded].map { |path| [:file, path] }

      # Files that represent the versions of Bundler and RubyGems, and this Ruby's configuration.
      def version
        ["#{library("bundler")}/version.rb", "#{library("rubygems")}.rb", *Util::Ruby.config_path]
          .map { |path| [:file, path] }
      end

      def library(name) = @report[:libraries].find { |path| path.end_with?("/#{name}") }

      def versions
        names = ["bundler", *@part[:defaults]]
        homes = @report[names.one? ? :gem_home : :gem_path]
        homes.product(names).map { |home, name| ["#{home}/specifications", "#{name}-[0-9]*.gemspec", 0] }
      end

      # The encodings, unless all names and contents are ASCII and no encoding was read.
      def encoding
        texts = @paths.lazy.reject { |path,| shared?(path) }.flat_map { |path, kinds| texts(path, kinds) }
        plain = !git? && !@observed.include?(:encoding) && texts.all?(&:ascii_only?)
        plain ? [] : [[:environment, Fingerprint::ENCODING]]
      end

      # A path, and the texts that the Gemfile may have read from it.
      def texts(path, kinds)
        [path, *(File.binread(path) if kinds.include?(:read) && File.file?(path)),
         *(Dir.children(path) if kinds.include?(:listed) && File.directory?(path)),
         *(File.readlink(path) if kinds.include?(:link) && File.symlink?(path))]
      end

      # Whether the path belongs to the system or to a gem.
      def shared?(path) = library?(path) || installed?(path) || below?(path, SYSTEM)

      # The time zone is determined by TZ if it is set, otherwise by the file.
      def zone = @observed.include?(:zone) ? [[:environment, "TZ"], [:file, "/etc/localtime"]] : []

      # The user's value of BUNDLE_GEMFILE, if the Gemfile reads it.
      def named = @observed.include?(:gemfile) ? [[:environment, Fingerprint::NAMED]] : []

      # The installed gems, if the Gemfile loads a gem or fails to find one.
      def gems
        read = @paths.any? { |path, kinds| installed?(path) && of_gem?(path, kinds) && !library?(path) }
        read || @observed.include?(:gems) ? installed : []
      end

      def installed
        homes = @report[:gem_path].map { |home| "#{home}/specifications" }
        [*homes, @report[:default_specifications]].map { |folder| names(folder) }
      end

      def names(folder) = [File.directory?(folder) ? :listed : :absent, folder]

      # Whether a path is the same for every checkout of the application.
      def same_for_every_checkout?(path)
        return false if path.match?(LEADS_OUT)

        path == @report[:home] || library?(path) || below?(path, @roots) || below?(path, fixed)
      end

      def fixed
        @fixed ||= [*SYSTEM, RbConfig::CONFIG["prefix"], *@report[:gem_home],
                    *CONFIGURATION.map { |name| "#{@report[:home]}/#{name}" }]
                   .reject { |one| @roots.any? { |root| below?(root, [one]) } }
      end

      def below?(path, folders) = folders.any? { |folder| path == folder || path.start_with?("#{folder}/") }
      def elsewhere?(path) = @elsewhere && (path == @elsewhere || path.start_with?("#{@elsewhere}/"))
      def library?(path) = @report[:libraries].any? { |folder| path.start_with?(folder) }

      # Whether the path shows which gems are installed, unless the application itself is in the gem home.
      def installed?(path)
        @report[:gem_path].any? do |home|
          path.start_with?("#{home}/") && path[(home.size + 1)..].match?(INSTALLED) &&
            @roots.none? { |root| root.start_with?("#{home}/") }
        end
      end

      # Whether the path is a gem's file that was read.
      def of_gem?(path, kinds)
        kinds.include?(:read) && @report[:gem_path].any? { |home| path.start_with?("#{home}/gems/") }
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
