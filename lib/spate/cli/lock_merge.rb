# frozen_string_literal: true

module Spate
  module CLI
    # `spate lock --merge BASE OURS THEIRS`: a git merge driver for lockfiles. Merges gem by gem, runs Bundler to
    # resolve, and writes the result to OURS. Also merges the Gemfile, because git may run the driver before it writes
    # the merged Gemfile.
    class LockMerge
      HEADS = %w[MERGE_HEAD CHERRY_PICK_HEAD REBASE_HEAD REVERT_HEAD].freeze
      OPTION = "--merge"

      # The merge needs a decision by the user.
      class Conflict < Error
        EXIT_CODE = 5

        def initialize(gemfile, details)
          name = File.basename(gemfile)
          super("#{name} has conflicts, so its lockfile cannot be resolved",
                details: details, hint: "resolve the conflicts in #{name}, then run `spate lock`")
        end
      end

      # files: paths of BASE, OURS, THEIRS.
      def initialize(files, context, terminal)
        @base, @ours, @theirs = files.map { |path| File.expand_path(path) }
        @context = context
        @terminal = terminal
        return if files.length == 3 && [@base, @ours, @theirs].all? { |path| File.file?(path) }

        raise UsageError.new("`spate lock --merge` takes three files: the common ancestor, this and the other version",
                             hint: "git config merge.gemfile-lock.driver \"spate lock --merge %O %A %B\"")
      end

      # Returns the exit code. Raises Conflict, and Gemfile::BundlerFailed if the versions contradict each other.
      def run
        merge = Resolve::Merge.new(*[@base, @ours, @theirs].map { |path| File.read(path, encoding: "UTF-8") })
        text = resolved(gemfile, merge.text)
        Util::Files.write(@ours, text, mode: File.stat(@ours).mode & 0o777)
        merge.clashes.each { |clash| @terminal.info Util::Terminal.plain("both sides changed #{clash}") }
        0
      end

      private

      # Returns the lockfile that Bundler resolves. The temporary Gemfile is beside the real one, because it may refer
      # to files in that folder.
      def resolved(gemfile, lockfile)
        place = Util::Files.beside(@context.location.gemfile)
        File.write(place, gemfile)
        File.write("#{place}.lock", lockfile)
        beside = Gemfile::Location.new(place, "#{place}.lock", @context.location.root)
        Gemfile::BundleCommand.capture_output(["lock"], beside, @context.settings, env: @context.env)
        File.read("#{place}.lock", encoding: "UTF-8")
      ensure
        [place, "#{place}.lock"].each { |path| Util::Files.remove(path) } if place
      end

      # The text of the merged Gemfile or, outside of a merge, of the Gemfile in the working tree.
      def gemfile
        path = @context.location.gemfile
        other = commit(@theirs) or return File.read(path)
        base = commit(@base, git("merge-base", "HEAD", other), "#{other}^")
        texts = [["HEAD", path], [base, path], [other, path]].map { |commit, file| content(commit, file) }
        texts.all? ? merged(texts) : File.read(path)
      end

      # The first candidate commit that contains this lockfile, or nil.
      def commit(file, *candidates)
        candidates = HEADS + named_heads if candidates.empty?
        blob = git("hash-object", "--no-filters", file)
        lockfile = @context.location.lockfile
        candidates.compact.find { |one| git("rev-parse", "--verify", "-q", spot(one, lockfile)) == blob }
      end

      # Git sets a variable GITHEAD_<commit> for each commit of a merge.
      def named_heads = @context.env.keys.grep(/\AGITHEAD_\h{40,64}\z/).map { |key| key.delete_prefix("GITHEAD_") }

      def spot(commit, path) = "#{commit}:./#{File.basename(path)}"

      def content(commit, path) = commit && git("show", spot(commit, path), raw: true)

      def merged(texts)
        require "tmpdir"
        Dir.mktmpdir("spate-merge-") do |folder|
          files = %w[ours base theirs].zip(texts).map do |name, text|
            "#{folder}/#{name}".tap { |file| File.write(file, text) }
          end
          out, status = capture("merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs", *files)
          raise Conflict.new(@context.location.gemfile, out.lines(chomp: true).grep(/gem /)) unless status.success?

          out
        end
      end

      # Returns the output of git, or nil if it fails.
      def git(*words, raw: false)
        out, status = capture(*words)
        return unless status.success?

        raw ? out : out.chomp
      end

      def capture(*words)
        require "open3"
        Open3.capture2(@context.env.reject { |key, _| key == "GIT_INDEX_FILE" }, "git", *words,
                       chdir: @context.location.root, err: File::NULL, unsetenv_others: true)
      end
    end
  end
end
