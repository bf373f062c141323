# frozen_string_literal: true

require "fileutils"

module Spate
  module Git
    # The bare clone of a git source, which includes the locked revision. It has the same depth as Bundler's clone, so
    # that Bundler can use it later: 1 for a branch, a tag or no ref, N + 1 for "ref~N", unlimited for abbreviated
    # revisions and other refs.
    #
    # The first clone of a revision is also hard-linked into Spate's folder, which is safe because git never changes an
    # existing object. Other bundles on this machine use that copy without network access.
    class Repository
      FULL_SHA = /\A\h{40}\z/
      GONE = /couldn't find remote ref|not our ref|unadvertised object/
      # Errors of servers that do not support shallow clones.
      NO_DEPTH = /does not support shallow|dumb http/

      attr_reader :path

      # uri: address of the source without user and password, because git writes it to the clone. path: path of the bare
      # clone. shared: folder of clones shared by all bundles, or nil. local: whether to work without network.
      def initialize(source, uri, path:, command:, shared: nil, local: false)
        @source = source
        @revision = source.revision
        @uri = uri
        @path = path
        @command = command
        @shared = shared && File.join(shared, "#{Names.clone(uri)}-#{variant}")
        @local = local
      end

      # Ensures that the clone exists and contains the revision. Returns its path.
      def provide
        return @path if complete?(@path)

        adopt || renew
        @path
      end

      # The ref to fetch into a checkout: the ref under which the revision was fetched, or the revision itself.
      def wanted = File.exist?(File.join(@path, "refs", "#{commit}-sha")) ? "refs/#{commit}-sha" : @revision

      # Arguments of fetch and clone.
      def depth_arguments = depth ? ["--depth", depth.to_s] : []

      private

      def complete?(folder)
        File.directory?(folder) && @command.ok?("cat-file", "-e", "#{commit}^{commit}", in: folder)
      end

      def adopt
        return false if @shared.nil? || File.exist?(@path) || !complete?(@shared)

        AtomicFolder.fill(@path) { |temporary| link_tree(@shared, temporary) }
        true
      end

      def renew
        raise NotLocal.new(Names.display(@uri), @revision) if @local

        if File.directory?(@path)
          fetch(@path, shallow?(@path) && unshallow?(@path) ? ["--unshallow"] : depth_arguments)
        else
          AtomicFolder.fill(@path) { |temporary| clone(temporary) }
        end
        raise RevisionMissing.new(Names.display(@uri), @revision) unless complete?(@path)

        share
      end

      def clone(folder)
        begin
          bare_clone(folder, [*no_tags, *depth_arguments, *single_branch])
        rescue CommandFailed => e
          raise unless depth && e.details.join.match?(NO_DEPTH)

          FileUtils.rm_rf(folder)
          bare_clone(folder, [*no_tags, *single_branch])
        end
        if shallow?(folder) && unshallow?(folder)
          fetch(folder, ["--unshallow"])
        elsif extra_ref?
          fetch(folder, depth_arguments)
        end
      end

      def bare_clone(folder, arguments)
        @command.run_remote("clone", "--bare", "--no-hardlinks", "--quiet", *arguments, "--", @uri, folder)
      end

      def fetch(folder, arguments)
        @command.run_remote("fetch", "--force", "--quiet", "--no-tags", *arguments, "--", @uri,
                            "#{commit}:refs/#{commit}-sha", in: folder)
      rescue CommandFailed => e
        raise e unless e.details.join("\n").match?(GONE)

        raise RevisionMissing.new(Names.display(@uri), @revision)
      end

      def no_tags = depth ? ["--no-tags"] : []
      def single_branch = depth ? ["--single-branch"] : []
      def shallow?(folder) = File.exist?(File.join(folder, "shallow"))

      def unshallow?(folder)
        depth.nil? || @command.run("rev-parse", "--verify", "HEAD", in: folder).strip != @revision
      end

      def extra_ref?
        return false if not_pinned?

        depth ? true : @source.ref.start_with?("refs/")
      end

      def not_pinned? = !(@source.branch || @source.tag).nil? || @source.ref.nil?
      def pinned? = @source.ref&.match?(FULL_SHA)
      def commit = pinned? ? @source.ref : @revision

      def depth
        return @depth if defined?(@depth)

        @depth = if not_pinned? || pinned? then 1
                 elsif @source.ref.include?("~") then @source.ref.split("~").last.to_i + 1
                 end
      end

      # Part of the shared clone's name. Clones of the same repository may have different revisions and depths.
      def variant = "#{@revision[0, Names::SHORT]}-#{depth || "all"}"

      def share
        return if @shared.nil? || File.exist?(@shared)

        AtomicFolder.fill(@shared) { |temporary| link_tree(@path, temporary) }
      rescue SystemCallError
        nil # the store is not writable, so the next bundle clones again
      end

      # Links the objects, and copies the few small files that git rewrites.
      def link_tree(from, to)
        FileUtils.mkdir_p(to)
        Dir.glob("**/*", File::FNM_DOTMATCH, base: from).sort.each do |name|
          source = File.join(from, name)
          target = File.join(to, name)
          next FileUtils.mkdir_p(target, mode: File.stat(source).mode) if File.directory?(source)

          name.start_with?("objects/") ? link(source, target) : FileUtils.cp(source, target, preserve: true)
        end
      end

      def link(source, target)
        File.link(source, target)
      rescue Errno::EXDEV, Errno::EPERM, Errno::EMLINK, Errno::ENOTSUP
        FileUtils.cp(source, target, preserve: true)
      end
    end
  end
end
