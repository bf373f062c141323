# frozen_string_literal: true

require "rubygems"
require "rubygems/installer"

module Spate
  module Specification
    # Reads a gem's metadata (YAML, written by any version of RubyGems) with this machine's RubyGems, and converts it to
    # Facts and GeneratedFiles. Passes the unmodified text to RubyGems. So a gem is rejected only if RubyGems rejects
    # it, with the same message.
    class RubygemsMetadata
      # RubyGems' installer, which is used only to generate texts.
      class ScriptText < Gem::Installer
        attr_accessor :gem_dir
      end

      LOCK = Mutex.new
      private_constant :LOCK, :ScriptText

      # yaml: the decompressed metadata.gz (String). package: the expected package. Raises PackageMismatchError if the
      # archive contains another gem, or RubyGems rejects it.
      def self.read(yaml, package)
        asking(package) { new(specification(yaml), package) }
      end

      def self.specification(yaml)
        # If RubyGems has its own YAML reader, it reads bytes, and writes non-ASCII characters as bytes. So this does
        # too.
        yaml = yaml.b if Gem.respond_to?(:use_psych?)
        text = Gem::Specification.normalize_yaml_input(yaml)
        Gem.load_yaml
        Yaml::Limits.check(text)
        Gem::Specification.from_yaml(text)
      end
      private_class_method :specification

      # The requirements of an archive on disk: { platform:, ruby:, rubygems: }, with lists of requirements.
      def self.requirements(path, package)
        asking(package) do
          made = specification(yaml_of(path))
          { platform: made.platform.to_s, ruby: made.required_ruby_version.as_list,
            rubygems: made.required_rubygems_version.as_list }
        end
      end

      # The decompressed metadata of an archive on disk.
      def self.yaml_of(path)
        require "rubygems/package"
        File.open(path, "rb") do |file|
          Gem::Package::TarReader.new(file).each do |entry|
            text = entry.read if %w[metadata metadata.gz].include?(entry.full_name)
            next unless text

            return (entry.full_name == "metadata" ? text : Gem::Util.gunzip(text)).force_encoding(Encoding::UTF_8)
          end
        end
        raise PackageMismatchError.no_metadata(path)
      end

      # Runs the block with the lock, and converts errors of RubyGems to PackageMismatchError, since metadata may
      # contain anything.
      def self.asking(package, &)
        LOCK.synchronize(&)
      rescue Error, SystemCallError
        raise
      rescue StandardError, SystemStackError => e
        raise PackageMismatchError.refused(package, e)
      end

      # {executable => text of its wrapper} for an ordinary gem that need not be installed.
      def self.wrappers(name, version, executables, scratch, bindir: "bin")
        specification = Gem::Specification.new(name, version) do |made|
          made.bindir = bindir
          made.executables = executables
        end
        LOCK.synchronize { new(specification, nil).texts(executables.to_h { |exe| [exe, "#!ruby\n"] }, scratch) }
      end

      attr_reader :specification

      def initialize(specification, package)
        @specification = specification
        @package = package
        return unless package

        specification.content_address = package.content_address if package.content_address
        check
      end

      # paths: the package's files as normalized relative paths ([String]).
      def facts(paths, verified:)
        RubygemsMetadata.asking(@package) do
          folders = texts_of(specification.raw_require_paths)
          Facts.new(
            name: text(specification.name), version: text(specification.version),
            platform: text(specification.platform), bindir: text(specification.bindir),
            required_ruby: text(specification.required_ruby_version),
            required_rubygems: text(specification.required_rubygems_version),
            post_install_message: text(specification.post_install_message), verified: verified,
            require_paths: folders, executables: texts_of(executables(paths)),
            extensions: texts_of(specification.extensions), plugins: Facts.plugins(folders, paths),
            dependencies: texts_of(specification.runtime_dependencies.map(&:name))
          )
        end
      end

      # first_lines: {executable => first line of its file, or nil if the package does not contain it}.
      def generate(first_lines, scratch)
        RubygemsMetadata.asking(@package) do
          specification.installed_by_version = Gem.rubygems_version
          GeneratedFiles.new(specification: specification.to_ruby_for_cache, wrappers: texts(first_lines, scratch))
        end
      end

      # Raises WrongRubyError if the gem requires a different version of Ruby or RubyGems.
      def ensure_runs_here
        [["Ruby", specification.required_ruby_version, Gem.ruby_version],
         ["RubyGems", specification.required_rubygems_version, Gem.rubygems_version]].each do |what, wanted, running|
          WrongRubyError.check(@package, what, wanted, running)
        rescue NoMethodError, ArgumentError, KeyError
          next # RubyGems installs gems without a requirement, or with one without versions
        end
        ensure_platform_is_read
      end

      # {executable => text of its wrapper}. RubyGems reads an executable's first line from the gem's folder, so a
      # folder with files that contain only the first lines is sufficient.
      def texts(first_lines, scratch)
        present = first_lines.compact
        return {} if present.empty?

        installer = ScriptText.for_spec(specification, wrappers: true, env_shebang: true)
        installer.gem_dir = scratch
        present.to_h { |name, line| [name, text_of(installer, scratch, name, line)] }
      end

      private

      def check
        raise PackageMismatchError.other(@package, specification.full_name) unless name?
        raise PackageMismatchError.platform(@package, specification.platform) unless platform?

        installer = ScriptText.for_spec(specification)
        installer.gem_dir = "/gem" # RubyGems 4 and newer check the target folder
        installer.verify_spec
        installer.ensure_loadable_spec
      end

      # Whether name, version and platform match the package. Also compares the platform as written by the gem's author,
      # since an old RubyGems may not support the lockfile's platform.
      def name?
        return true if specification.full_name == @package.full_name

        written = Platform.parse(specification.original_platform.to_s).to_s
        @package.content_address.nil? && written == @package.platform &&
          [specification.name, specification.version.to_s] == [@package.name, @package.version]
      end

      # Rejects a platform for which RubyGems uses a different name, because RubyGems would search for the gem in
      # another folder.
      def ensure_platform_is_read
        read = specification.full_name
        raise WrongRubyError.platform(@package, read, Gem.rubygems_version) unless read == @package.full_name
      end

      # Compares the platform separately if the name contains a content address instead of the platform.
      def platform? = @package.content_address.nil? || @package.platform == specification.platform.to_s

      # The value as valid UTF-8, which manifests require. YAML may contain invalid text.
      def text(value) = value && String.new(value.to_s, encoding: Encoding::UTF_8).scrub
      def texts_of(list) = Array(list).flatten.map { |one| text(one).to_s }

      # The names of executables. RubyGems ignores executables that are not in the package.
      def executables(paths)
        names = []
        specification.executables.each { |name| names << name }
        names.map do |name|
          path = File.join(name)
          place = File.expand_path(File.join("/", specification.bindir, path))
          next path if File.basename(place) == name

          there = place == "/" || paths.any? { |file| "/#{file}/".start_with?("#{place}/") }
          there ? raise(Gem::InstallError, "the executable #{name.inspect} is not a file name") : path
        end
      end

      def text_of(installer, scratch, name, line)
        path = File.join(scratch, specification.bindir, name)
        Util::Files.make_folder(File.dirname(path))
        File.binwrite(path, line)
        installer.app_script_text(name)
      end
    end
  end
end
