# frozen_string_literal: true

require "rubygems"
require "rubygems/installer"

module Spate
  module Install
    # Reads a gem's metadata (YAML, as RubyGems writes it) with RubyGems itself, safely, and turns it into Facts and
    # Derived texts. The one part of unpacking that needs the GVL, so it does as little as it can: file lists, which
    # no installed form keeps, are cut out before the YAML parser sees them.
    class Metadata
      # RubyGems' installer, only for the texts it writes: nothing is installed by it.
      class ScriptText < Gem::Installer
        attr_accessor :gem_dir
      end

      LOCK = Mutex.new
      private_constant :LOCK, :ScriptText

      # yaml: the inflated metadata.gz, String; package: what the plan expects.
      # Raises PackageMismatchError where the archive is another gem, Error with RubyGems' words where it refuses.
      def self.read(yaml, package)
        LOCK.synchronize { new(parse(yaml, package), package) }
      end

      def self.parse(yaml, package)
        spec = Gem::Specification.from_yaml(Slim.call(yaml))
        raise "the metadata holds no specification" unless spec.is_a?(Gem::Specification) && spec.name && spec.version

        spec
      rescue StandardError, SystemStackError => e # YAML nested deeply enough
        raise PackageMismatchError.unreadable(package, e)
      end
      private_class_method :parse

      # The inflated metadata of an archive that lies on disk.
      def self.yaml_of(path)
        require "rubygems/package"
        File.open(path, "rb") do |file|
          Gem::Package::TarReader.new(file).each do |entry|
            return Gem::Util.gunzip(entry.read) if entry.full_name == "metadata.gz"
          end
        end
        raise ArchiveError.new("#{path}: it has no metadata", hint: ArchiveError::HINTS[:corrupt])
      end

      # Text of the wrapper of one executable, of whatever gem that needs nothing special.
      def self.wrapper_of(name, executable, scratch)
        specification = Gem::Specification.new(name, "1") { |made| made.executables = [executable] }
        LOCK.synchronize { new(specification, nil).texts({ executable => "#!ruby\n" }, scratch).fetch(executable) }
      end

      # Derived with only the wrappers of a gem that is installed nowhere (a path gem). spec: name, version, bindir,
      # executables.
      def self.wrappers_of(spec, scratch)
        specification = Gem::Specification.new(spec.name, spec.version) do |made|
          made.bindir = spec.bindir
          made.executables = spec.executables
        end
        LOCK.synchronize do
          texts = new(specification, nil).texts(spec.executables.to_h { |name| [name, "#!ruby\n"] }, scratch)
          Derived.new(specification: "", wrappers: texts)
        end
      ensure
        require "fileutils"
        FileUtils.rm_rf(scratch)
      end

      attr_reader :specification

      def initialize(specification, package)
        @specification = specification
        @package = package
        check if package
      end

      # paths: the package's files, clean and relative, Array of String (or anything with include?).
      def facts(paths, verified:)
        Facts.new(
          name: specification.name, version: specification.version.to_s, platform: specification.platform.to_s,
          bindir: specification.bindir, required_ruby: specification.required_ruby_version.to_s,
          required_rubygems: specification.required_rubygems_version.to_s,
          post_install_message: specification.post_install_message, verified: verified,
          require_paths: specification.raw_require_paths, executables: specification.executables,
          extensions: specification.extensions, plugins: Facts.plugins(specification.raw_require_paths, paths),
          dependencies: specification.runtime_dependencies.map(&:name)
        )
      end

      # first_lines: {executable => its file's first line, or nil where the package lacks the file}.
      def derived(first_lines, scratch)
        LOCK.synchronize do
          specification.installed_by_version = Gem.rubygems_version
          Derived.new(specification: specification.to_ruby_for_cache, wrappers: texts(first_lines, scratch))
        end
      end

      # Raises WrongRubyError where the gem asks for another Ruby or RubyGems than the running one.
      def ensure_runs_here
        WrongRubyError.check(@package, "Ruby", specification.required_ruby_version, Gem.ruby_version)
        WrongRubyError.check(@package, "RubyGems", specification.required_rubygems_version, Gem.rubygems_version)
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

      def self.make_folders(path)
        return if File.directory?(path)

        make_folders(File.dirname(path))
        Dir.mkdir(path)
      rescue Errno::EEXIST
        nil
      end

      private

      def check
        found = specification.full_name
        raise PackageMismatchError.other(@package, found) unless found == @package.full_name

        fault = fault_of_shape
        raise Gem::InstallError, fault if fault

        # From RubyGems 4 on it looks where the gem is to lie.
        ScriptText.for_spec(specification).tap { |installer| installer.gem_dir = "/gem" }.verify_spec
      rescue Gem::InstallError => e
        raise PackageMismatchError.refused(@package, e)
      end

      # YAML can hold anything anywhere, and RubyGems looks at little of it before it is used. What is wrong, or nil.
      def fault_of_shape
        lists = { "require_paths" => specification.raw_require_paths, "extensions" => specification.extensions,
                  "executables" => specification.executables }
        name, = lists.find { |_, list| !list.is_a?(Array) || !list.all?(String) }
        return "#{name} is no list of names" if name
        return "a dependency or requirement is none" unless requirements?

        strange = specification.executables.find { |exe| exe.empty? || exe.include?("/") || %w[. ..].include?(exe) }
        return "the executable #{strange.dump} is no file name" if strange

        "bindir is no path" unless specification.executables.empty? || specification.bindir.is_a?(String)
      end

      def requirements?
        needed = [specification.required_ruby_version, specification.required_rubygems_version]
        dependencies = specification.dependencies
        dependencies.is_a?(Array) && dependencies.all?(Gem::Dependency) && needed.all?(Gem::Requirement)
      end

      def text_of(installer, scratch, name, line)
        path = File.join(scratch, specification.bindir, name)
        Metadata.make_folders(File.dirname(path))
        File.binwrite(path, line)
        installer.app_script_text(name)
      end
    end
  end
end
