# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Writes the Gemfile and the lockfile atomically, by writing another file and renaming it. Bundler would truncate
      # them first, and an interrupt would leave them incomplete.
      module SharedHelpers
        # Applies to all files that Bundler writes with SharedHelpers.filesystem_access.
        def self.replace_files
          Bundler::SharedHelpers.singleton_class.prepend(self)
          Bundler::Injector.prepend(Injector)
        end

        def filesystem_access(path, action = :write, &block)
          return super unless action == :write && Child.manifest?(path)

          block.arity.zero? ? Child.touch { super } : super { |target| Child.rewrite(target, &block) }
        end

        # `bundle add` appends to the Gemfile, then writes the lockfile. The helper turns errors of the file system into
        # Bundler's.
        module Injector
          def append_to(gemfile, lines)
            Bundler::SharedHelpers.filesystem_access(gemfile) do |target|
              File.binwrite(target, File.binread(gemfile)) unless target.to_s == gemfile.to_s
              super(Pathname.new(target), lines)
            end
            lock_requirements if @options[:conservative_versioning]
          end

          private

          # With `--strict`, Bundler writes `= 3.1` for version 3.1.8, and then installs 3.1.0, or fails.
          def conservative_version(spec) = @options[:strict] ? "= #{spec.version}" : super

          # Bundler resolves without the requirements that it adds to the Gemfile. With `--skip-install`, it writes the
          # lockfile without them, too.
          def lock_requirements
            added = @definition.dependencies.select { |one| @deps.any? { |dependency| dependency.name == one.name } }
            added.each do |one|
              version = conservative_version(@definition.specs[one.name][0])
              one.instance_variable_set(:@requirement, Gem::Requirement.new(version))
            end
          end
        end
      end

      # Makes Bundler's commands only write the lockfile. Spate installs afterwards.
      module OnlyLock
        def install(_root, definition, options = {})
          return if ARGV.first == "remove"

          options["local"] ? definition.resolve_with_cache! : definition.resolve_remotely!
          # Bundler before 2.5 requires the path.
          definition.lock(*(Bundler.default_lockfile if definition.method(:lock).arity < -1))
          common = Bundler::CLI::Common
          common.output_cooldown_skipped_summary(definition) if common.respond_to?(:output_cooldown_skipped_summary)
          exit 0
        end
      end

      module_function

      # Whether the path is that of the Gemfile or a lockfile.
      def manifest?(path)
        [Bundler.default_gemfile, Bundler.default_lockfile].any? { |one| one.to_s == path.to_s } ||
          path.to_s.end_with?(".lock", ".locked")
      rescue Bundler::GemfileNotFound
        false
      end

      # Bundler touches a lockfile that it does not change, which fails in a read-only folder.
      def touch
        yield
      rescue Bundler::PermissionError
        nil
      end

      # Yields a path for the new content, and renames the new file to `path`. If the folder is not writable, yields
      # `path` itself.
      def rewrite(path)
        old = File.stat(path) if File.exist?(path)
        real = old ? File.realpath(path) : path.to_s
        return yield(path) unless File.writable?(File.dirname(real)) && (!old || File.writable?(real))

        fresh = Util::Files.beside(real)
        File.open(fresh, File::WRONLY | File::CREAT | File::EXCL, 0o600).close if old
        yield fresh
        return unless File.size?(fresh) # nothing was written

        take_over(old, fresh) if old
        move(fresh, real)
      ensure
        Util::Files.remove(fresh) if fresh
      end

      def take_over(old, fresh)
        File.chown(old.uid, old.gid, fresh) if Process.euid.zero?
        File.chmod(old.mode & 0o7777, fresh)
      end

      # A file on which another one is mounted, as in containers, cannot be replaced, so it is written in place.
      def move(fresh, real)
        File.rename(fresh, real)
      rescue Errno::EBUSY
        overwrite(real, File.binread(fresh))
      end

      # Restores the old text if the disk is full.
      def overwrite(path, text)
        old = File.binread(path)
        File.binwrite(path, text)
      rescue SystemCallError
        File.binwrite(path, old) if old
        raise
      end
    end
  end
end
