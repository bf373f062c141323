# frozen_string_literal: true

module Spate
  # The paths of a bundle's parts, as Bundler and RubyGems expect them. Paths are absolute. For a bundle with its own
  # path RubyGems is not queried until a folder is needed that depends on it (extensions).
  class Layout
    autoload :NamedBundler, "spate/layout/named_bundler"
    autoload :Rubygems, "spate/layout/rubygems"
    autoload :RubygemsProbe, "spate/layout/rubygems_probe"

    # settings: Settings. root: the application's folder. store: where RubyGems' answers are cached (or nil).
    # lockfile: path of the one that may name a Bundler (or nil).
    def self.for(settings, root, store: nil, lockfile: nil, rubygems: nil)
      new(settings, root, rubygems || RubygemsProbe.new(store, settings.env, NamedBundler.new(settings, lockfile)))
    end

    # `ruby/3.1.0`: the suffix that Bundler adds to a path of its own.
    def self.ruby_scope
      @ruby_scope ||= "#{RUBY_ENGINE}/#{Util::Ruby.api_version}"
    end

    # rubygems: a Rubygems, or a RubygemsProbe.
    def initialize(settings, app_root, rubygems)
      @settings = settings
      @app_root = app_root
      @rubygems = rubygems
    end

    # The folder with `gems`, `specifications` and the rest.
    def root
      @root ||= real(system? ? rubygems.dir : File.join(@settings.install_path.absolute(@app_root), Layout.ruby_scope))
    end

    # Gems are installed in the folder of `gem install`; other bundles and `gem` use them too.
    def system? = @settings.install_path.system?

    def gems = @gems ||= File.join(root, "gems")
    def specifications = @specifications ||= File.join(root, "specifications")
    def cache = @cache ||= File.join(root, "cache")
    def build_info = @build_info ||= File.join(root, "build_info")
    def plugins = @plugins ||= File.join(root, "plugins")

    # The file whose existence means that a package is installed. Content-addressed gems, which are for one Ruby each,
    # have their own folder below `specifications`, and below `plugins`.
    def specification(package)
      "#{specifications}/#{"#{Util::Ruby.abi}/" if package.content_address}#{package.full_name}.gemspec"
    end

    # Folders with specifications of gems that count as installed, the bundle's own two first; a system bundle also uses
    # the machine's others.
    def specification_folders
      others = system? ? rubygems.path.map { |path| "#{path}/specifications" } : []
      [specifications, *others].uniq.flat_map { |path| [path, "#{path}/#{Util::Ruby.abi}"] }
    end

    # `extensions/x86_64-linux/3.1.0`: built files of each gem are in a folder of its full name.
    def extensions = @extensions ||= File.join(root, "extensions", extensions_scope)

    # `x86_64-linux/3.1.0`
    def extensions_scope
      @extensions_scope ||= File.join(extensions_platform_dir, rubygems.extension_api_version)
    end

    # `x86_64-linux`
    def extensions_platform_dir = rubygems.platform

    # Executables of gems. RubyGems' own folder for a system bundle, unless `system_bindir` names another.
    def bin
      @bin ||= if (given = @settings[:system_bindir])
                 File.expand_path(given, @app_root)
               else
                 system? ? rubygems.bindir : File.join(root, "bin")
               end
    end

    # The folder of Bundler's own scripts for executables, nil unless the setting `bin` is set. Bundler 4 and newer
    # creates them only with `bundle binstubs`.
    def binstubs
      given = @settings[:bin]
      return unless given.is_a?(String) && !given.empty? && rubygems.bundler_version.to_i < 4

      File.expand_path(given, @app_root)
    end

    # Checkouts of git sources, and the results of their gems' builds.
    def bundler_gems = @bundler_gems ||= File.join(root, "bundler/gems")
    def bundler_extensions = File.join(bundler_gems, "extensions", extensions_scope)

    # Bare clones of git sources.
    def git_cache
      return File.join(cache, "bundler/git") unless @settings.bool(:global_gem_cache)

      File.join(@settings.folders.user_cache, "git")
    end

    # Archives of the application itself (`vendor/cache`), used before any source.
    def app_cache = File.expand_path(@settings[:cache_path] || "vendor/cache", @app_root)

    # Folders in which Ruby finds specifications of default gems (they count as installed).
    def default_specifications = rubygems.default_specifications

    # The facts that the machine's RubyGems reports. The probe caches them; thread-safe.
    def rubygems = @rubygems.is_a?(RubygemsProbe) ? @rubygems.answer : @rubygems

    # Starts asking RubyGems where that is necessary, without waiting for the answer.
    def ask_rubygems
      @rubygems.start if @rubygems.is_a?(RubygemsProbe)
    end

    private

    # Links in the path are followed as far as it exists, so that new files below have their real path from the start,
    # and the next run finds them by the same name.
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
