# frozen_string_literal: true

require "rubygems"
require "rubygems/installer"

module Spate
  module Specification
    # Reads a gem's metadata (YAML, written by whichever RubyGems) with this machine's RubyGems, and turns it into Facts
    # and GeneratedFiles. RubyGems gets the text as it is, and has the last word: a gem is refused only where RubyGems
    # refuses it, in RubyGems' words.
    class RubygemsMetadata
      # RubyGems' installer, only for the texts it writes: nothing is installed by it.
      class ScriptText < Gem::Installer
        attr_accessor :gem_dir
      end

      LOCK = Mutex.new
      private_constant :LOCK, :ScriptText

      # yaml: the inflated metadata.gz, String; package: what the plan expects.
      # Raises PackageMismatchError where the archive is another gem, or RubyGems refuses it.
      def self.read(yaml, package)
        asking(package) { new(specification(yaml), package) }
      end

      def self.specification(yaml)
        # As bytes, where RubyGems has a reader of its own: it does so, and writes other letters than ASCII's as bytes.
        yaml = yaml.b if Gem.respond_to?(:use_psych?)
        text = Gem::Specification.normalize_yaml_input(yaml)
        Gem.load_yaml
        Yaml::Limits.check(text)
        Gem::Specification.from_yaml(text)
      end
      private_class_method :specification

      # What an archive that lies on disk is for: { platform:, ruby:, rubygems: }, requirements as lists.
      def self.fitness(path, package)
        asking(package) do
          made = specification(yaml_of(path))
          { platform: made.platform.to_s, ruby: made.required_ruby_version.as_list,
            rubygems: made.required_rubygems_version.as_list }
        end
      end

      # The inflated metadata of an archive that lies on disk.
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

      # Whatever RubyGems raises in the block is its verdict on the package: metadata can hold anything anywhere.
      def self.asking(package, &)
        LOCK.synchronize(&)
      rescue Error, SystemCallError
        raise
      rescue StandardError, SystemStackError => e
        raise PackageMismatchError.refused(package, e)
      end

      # {executable => text of its wrapper} of a gem that needs nothing special, and that need not be installed.
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

      # paths: the package's files, clean and relative, Array of String.
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

      # first_lines: {executable => its file's first line, or nil where the package lacks the file}.
      def generate(first_lines, scratch)
        RubygemsMetadata.asking(@package) do
          specification.installed_by_version = Gem.rubygems_version
          GeneratedFiles.new(specification: specification.to_ruby_for_cache, wrappers: texts(first_lines, scratch))
        end
      end

      # Raises WrongRubyError where the gem asks for another Ruby or RubyGems than the running one.
      def ensure_runs_here
        [["Ruby", specification.required_ruby_version, Gem.ruby_version],
         ["RubyGems", specification.required_rubygems_version, Gem.rubygems_version]].each do |what, wanted, running|
          WrongRubyError.check(@package, what, wanted, running)
        rescue NoMethodError, ArgumentError, KeyError
          next # no requirement, or one of no versions: RubyGems installs it
        end
        ensure_platform_is_read
      end

      # {executable => text of its wrapper}. RubyGems reads the executable's first line from the gem's folder; a folder
      # of first lines is enough.
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
        installer.gem_dir = "/gem" # from RubyGems 4 on it looks where the gem is to lie
        installer.verify_spec
        installer.ensure_loadable_spec
      end

      # An old RubyGems spells fewer platforms than the lockfile: the platform is compared as the gem's author wrote it.
      def name?
        return true if specification.full_name == @package.full_name

        written = Platform.parse(specification.original_platform.to_s).to_s
        @package.content_address.nil? && written == @package.platform &&
          [specification.name, specification.version.to_s] == [@package.name, @package.version]
      end

      # RubyGems would look for the gem in a folder that is named with its own spelling.
      def ensure_platform_is_read
        read = specification.full_name
        raise WrongRubyError.platform(@package, read, Gem.rubygems_version) unless read == @package.full_name
      end

      # An address in its name says nothing of the platform.
      def platform? = @package.content_address.nil? || @package.platform == specification.platform.to_s

      # A manifest is UTF-8, and YAML can say what is not.
      def text(value) = value && String.new(value.to_s, encoding: Encoding::UTF_8).scrub
      def texts_of(list) = Array(list).flatten.map { |one| text(one).to_s }

      # RubyGems looks for each in the package, and passes over what is not there, whatever its name.
      def executables(paths)
        names = []
        specification.executables.each { |name| names << name }
        names.map do |name|
          path = File.join(name)
          place = File.expand_path(File.join("/", specification.bindir, path))
          next path if File.basename(place) == name

          there = place == "/" || paths.any? { |file| "/#{file}/".start_with?("#{place}/") }
          there ? raise(Gem::InstallError, "the executable #{name.inspect} is no file name") : path
        end
      end

      def text_of(installer, scratch, name, line)
        path = File.join(scratch, specification.bindir, name)
        Ground::Files.make_folder(File.dirname(path))
        File.binwrite(path, line)
        installer.app_script_text(name)
      end
    end
  end
end
