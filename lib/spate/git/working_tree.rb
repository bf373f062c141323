# frozen_string_literal: true

require "fileutils"
require "securerandom"

module Spate
  module Git
    # Creates the checkout of a git source in bundler/gems. Gemspecs are rewritten last, so that an incomplete checkout
    # of an interrupted run can be detected.
    class WorkingTree
      def initialize(source, store:, layout:, settings:, vendor:, local:, env:)
        @source = source
        @uri = Names.plain(source.uri)
        @address, @userinfo = Names.split_credentials(@uri)
        @store = store
        @layout = layout
        @settings = settings
        @vendor = vendor
        @local = local
        @env = env
        @path = File.join(layout.bundler_gems, Names.checkout(@uri, source.revision))
      end

      # Creates the checkout if it does not exist, evaluates its gemspecs and returns a Checkout.
      def checkout
        made = !present?
        cached = @vendor&.git(@source)
        if made
          place { |temporary| cached && !bare?(cached) ? copy(cached, temporary) : check_out(temporary, cached) }
        end
        gemspecs = Gemspecs.new(@path, glob: @source.glob, env: @env)
        rewrite = made || !gemspecs.evaluated?
        Checkout.new(@path, gemspecs.read(rewrite: rewrite), rewrite)
      end

      private

      # Treats a folder that contains files besides .git as complete, as Bundler does, because users may work in
      # checkouts.
      def present? = File.directory?(@path) && Dir.children(@path).any? { |name| name != ".git" }

      # Replaces an incomplete checkout of an interrupted run of Bundler.
      def place(&make)
        AtomicFolder.fill(@path, empty: -> { FileUtils.rm_rf(@path) unless present? }, &make)
      end

      def copy(from, to) = FileUtils.cp_r("#{from}/.", FileUtils.mkdir_p(to).first)

      # Old versions of `bundle cache` copy the bare clone to vendor/cache.
      def bare?(folder) = File.exist?(File.join(folder, "objects")) && File.exist?(File.join(folder, "HEAD"))

      def check_out(folder, cached)
        repository = repository(cached)
        bare = repository.provide
        command.run("clone", "--no-checkout", "--quiet", bare, folder)
        command.run("remote", "set-url", "origin", Names.without_password(@uri), in: folder) if names_remote?
        File.chmod((File.stat(folder).mode | 0o777) & ~File.umask & 0o7777, folder)
        command.run("fetch", "--force", "--quiet", bare, *repository.depth_arguments, repository.wanted, in: folder)
        command.run("reset", "--hard", @source.revision, in: folder)
        submodules(folder)
      end

      # Whether this version of Bundler sets the address as the remote of a checkout, instead of the bare clone's
      # folder. Newer versions do so for git-lfs.
      def names_remote?
        File.read("#{@layout.rubygems.bundler_lib}/bundler/source/git/git_proxy.rb").include?('"set-url"')
      rescue SystemCallError
        false
      end

      def submodules(folder)
        return unless @source.submodules && File.exist?(File.join(folder, ".gitmodules"))

        command.run_remote("submodule", "update", "--init", "--recursive", in: folder)
      end

      def repository(cached)
        bare = cached || File.join(@layout.git_cache, Names.clone(@uri))
        shared = @store && File.join(@store.home, "git") unless cached
        Repository.new(@source, @address, path: bare, command: command, shared: shared, local: @local)
      end

      def command
        @command ||= Command.new(@address, userinfo: @userinfo || credentials, tries: (@settings[:retry] || 3) + 1,
                                           env: @env)
      end

      def credentials
        return unless @address.match?(Command::WEB) && @settings.respond_to?(:credentials_for)

        @settings.credentials_for(@address)
      end
    end

    # Folders that are created atomically: filled under a temporary name next to the target, then renamed.
    module AtomicFolder
      module_function

      # Yields a path that does not exist, and renames the folder that the block creates there to `path`. If two
      # processes do this at the same time, the first one wins. empty: a callable that removes an existing folder just
      # before the rename.
      def fill(path, empty: nil)
        FileUtils.mkdir_p(File.dirname(path))
        sweep(path)
        temporary = "#{path}.#{Process.pid}-#{SecureRandom.hex(3)}"
        yield temporary
        empty&.call
        File.rename(temporary, path)
      rescue Errno::ENOTEMPTY, Errno::EEXIST
        nil # another process was first
      ensure
        FileUtils.rm_rf(temporary) if temporary
      end

      # Removes temporary folders of killed processes.
      def sweep(path)
        prefix = "#{File.basename(path)}."
        Dir.children(File.dirname(path)).each do |name|
          pid = name.start_with?(prefix) && name.delete_prefix(prefix)[/\A(\d+)-\h{6}\z/, 1]
          FileUtils.rm_rf(File.join(File.dirname(path), name)) if pid && !Util::Child.alive?(pid.to_i)
        end
      end

      private_class_method :sweep
    end
  end
end
