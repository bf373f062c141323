# frozen_string_literal: true

module Spate
  # The paths in a bundle, as Bundler and RubyGems expect them. All paths are absolute. If the bundle has its own path,
  # RubyGems is queried only when a folder is needed that depends on it (extensions).
  class Layout
    autoload :Rubygems, "spate/layout/rubygems"
    autoload :RubygemsProbe, "spate/layout/rubygems_probe"

    # The version of Bundler that an application selects, looked up in the same order as in RubyGems and Bundler. If it
    # is installed, that version runs, and it affects the installed files. Ignores a value that is not a version.
    class NamedBundler
      VERSION = /[0-9]+(?>\.[0-9a-zA-Z]+)*/
      LOCKED = /\n\nBUNDLED WITH\n\s{2,}(#{VERSION})\n/

      # lockfile: path of the lockfile, or nil.
      def initialize(settings, lockfile)
        @settings = settings
        @lockfile = lockfile
      end

      # "2.6.9", or nil.
      def version
        [Util::Environment.clean(@settings.env)["BUNDLER_VERSION"], setting].grep(/\A#{VERSION}\z/).first || locked
      end

      # The setting `version`: a version, "lockfile", "system" or nil.
      def setting = @settings[:version]&.to_s

      private

      def locked
        File.read(@lockfile, encoding: Encoding::BINARY)[LOCKED, 1] if @lockfile
      rescue SystemCallError
        nil
      end
    end

    # settings: Settings. root: the application's folder. store: the Store in which the results of querying RubyGems are
    # cached, or nil. lockfile: path of the lockfile, which may contain a version of Bundler, or nil.
    def self.for(settings, root, store: nil, lockfile: nil, rubygems: nil)
      new(settings, root, rubygems || RubygemsProbe.new(store, settings.env, NamedBundler.new(settings, lockfile)))
    end

    # `ruby/3.1.0`: the suffix that Bundler adds to a configured path.
    def self.ruby_scope
      @ruby_scope ||= "#{RUBY_ENGINE}/#{Util::Ruby.api_version}"
    end

    # rubygems: a Rubygems, or a RubygemsProbe.
    def initialize(settings, app_root, rubygems)
      @settings = settings
      @app_root = app_root
      @rubygems = rubygems
    end

    # The folder that contains `gems`, `specifications` etc.
    def root
      @root ||= real(system? ? rubygems.dir : File.join(@settings.install_path.absolute(@app_root), Layout.ruby_scope))
    end

    # Whether gems are installed in the same folder as by `gem install`, which other bundles also use.
    def system? = @settings.install_path.system?

    def gems = @gems ||= File.join(root, "gems")
    def specifications = @specifications ||= File.join(root, "specifications")
    def cache = @cache ||= File.join(root, "cache")
    def build_info = @build_info ||= File.join(root, "build_info")
    def plugins = @plugins ||= File.join(root, "plugins")

    # The file that marks a package as installed. Files of content-addressed gems, which are for one Ruby version, are
    # in subfolders of `specifications` and `plugins`.
    def specification(package)
      "#{specifications}/#{"#{Util::Ruby.abi}/" if package.content_address}#{package.full_name}.gemspec"
    end

    # The folders with specifications of installed gems, starting with the two of the bundle itself. A system bundle
    # also uses other folders of the machine.
    def specification_folders
      others = system? ? rubygems.path.map { |path| "#{path}/specifications" } : []
      [specifications, *others].uniq.flat_map { |path| [path, "#{path}/#{Util::Ruby.abi}"] }
    end

    # `extensions/x86_64-linux/3.1.0`. The built files of each gem are in a subfolder with the gem's full name.
    def extensions = @extensions ||= File.join(root, "extensions", extensions_scope)

    # `x86_64-linux/3.1.0`
    def extensions_scope
      @extensions_scope ||= File.join(extensions_platform_dir, rubygems.extension_api_version)
    end

    # `x86_64-linux`
    def extensions_platform_dir = rubygems.platform

    # The folder for executables of gems. For a system bundle this is RubyGems' folder, unless `system_bindir` is set.
    def bin
      @bin ||= if (given = @settings[:system_bindir])
                 File.expand_path(given, @app_root)
               else
                 system? ? rubygems.bindir : File.join(root, "bin")
               end
    end

    # The folder for Bundler's own scripts for executables; nil unless the setting `bin` is set. Bundler 4 and newer
    # create these scripts only with `bundle binstubs`.
    def binstubs
      given = @settings[:bin]
      return unless given.is_a?(String) && !given.empty? && rubygems.bundler_version.to_i < 4

      File.expand_path(given, @app_root)
    end

    # Folders for checkouts of git sources, and for the results of building their gems.
    def bundler_gems = @bundler_gems ||= File.join(root, "bundler/gems")
    def bundler_extensions = File.join(bundler_gems, "extensions", extensions_scope)

    # The folder for bare clones of git sources.
    def git_cache
      return File.join(cache, "bundler/git") unless @settings.bool(:global_gem_cache)

      File.join(@settings.folders.user_cache, "git")
    end

    # The application's archives (`vendor/cache`), which take precedence over any source.
    def app_cache = File.expand_path(@settings[:cache_path] || "vendor/cache", @app_root)

    # Folders with specifications of default gems, which count as installed.
    def default_specifications = rubygems.default_specifications

    # The Rubygems of this machine, cached by the probe. Thread-safe.
    def rubygems = @rubygems.is_a?(RubygemsProbe) ? @rubygems.answer : @rubygems

    # Starts querying RubyGems if necessary, without waiting for the result.
    def ask_rubygems
      @rubygems.start if @rubygems.is_a?(RubygemsProbe)
    end

    private

    # Resolves links in the existing part of the path, so that the path is the same in the next run, when the rest
    # exists.
    def real(path)
      File.realpath(path)
    rescue Errno::ENOENT
      above = File.dirname(path)
      above == path || File.symlink?(path) ? path : File.join(real(above), File.basename(path))
    rescue SystemCallError
      path
    end
  end
end
