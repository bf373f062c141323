# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Writes Gemfile and lockfile beside themselves and renames them, so that they are whole after any interruption.
      # Bundler truncates them first.
      module SharedHelpers
        # Applies to all that Bundler writes through its helper.
        def self.replace_files
          Bundler::SharedHelpers.singleton_class.prepend(self)
          Bundler::Injector.prepend(Injector)
        end

        def filesystem_access(path, action = :write, &block)
          return super unless action == :write && Child.manifest?(path)

          super { |target| Child.rewrite(target, &block) }
        end

        # `bundle add` appends to the Gemfile.
        module Injector
          def append_to(gemfile, lines)
            Child.rewrite(gemfile) do |fresh|
              File.binwrite(fresh, File.binread(gemfile))
              super(Pathname.new(fresh), lines)
            end
          end
        end
      end

      # Installs nothing: Spate does that afterwards. Bundler's `update` and `remove` only lock.
      module OnlyLock
        def install(_root, definition, options = {})
          return if ARGV.first == "remove"

          options["local"] ? definition.with_cache! : definition.remotely!
          definition.lock
          exit 0
        end
      end

      module_function

      # Whether it is a Gemfile or lockfile: the files that a bundle is made of.
      def manifest?(path)
        [Bundler.default_gemfile, Bundler.default_lockfile].any? { |one| one.to_s == path.to_s } ||
          path.to_s.end_with?(".lock", ".locked")
      rescue Bundler::GemfileNotFound
        false
      end

      # Yields a path for the new content. If the folder is not writable, but the file is, yields the file.
      def rewrite(path)
        real = File.exist?(path) ? File.realpath(path) : path.to_s
        return yield(path) unless File.writable?(File.dirname(real)) && (!File.exist?(real) || File.writable?(real))

        fresh = Util::Files.beside(real)
        yield fresh
        return unless File.exist?(fresh) # only touched

        take_over(real, fresh)
        File.rename(fresh, real)
      ensure
        Util::Files.remove(fresh) if fresh
      end

      def take_over(real, fresh)
        return unless File.exist?(real)

        File.chmod(File.stat(real).mode & 0o7777, fresh)
        owner = File.stat(real)
        File.chown(owner.uid, owner.gid, fresh) if Process.euid.zero?
      end
    end
  end
end
