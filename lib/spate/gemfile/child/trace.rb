# frozen_string_literal: true

require_relative "calls"
require_relative "hooks"

module Spate
  module Gemfile
    module Child
      # What an evaluation reads: files, names of files, the environment; and what makes it impossible to remember.
      # Listens only during `during`; files of Ruby, RubyGems and Bundler themselves do not count.
      class Trace
        class << self
          # The Trace that hooks report to, nil outside of evaluations.
          attr_accessor :current
        end

        # Lists of a gemspec's files: no part of the agreement, but executables are often taken from it.
        GIT_LISTING = /\Agit (-C \S+ |-c \S+ )*ls-files\b/
        EXECUTABLES = "{bin,exe,libexec}/*"
        UNTRACED = { "pty" => "a terminal of its own", "fiddle" => "native code", "resolv" => "names of hosts" }.freeze
        # RubyGems' and Bundler's own copies of libraries.
        VENDORED = %r{/vendor/}

        # [String] names of plugins that the Gemfile uses; gem sources as it spells them; why the verdict cannot be
        # remembered.
        attr_reader :plugins, :remotes, :volatile

        # root: the application's folder. known: files whose content is in the memory's key already.
        def initialize(root, known)
          @roots = [root, File.realpath(root)].uniq
          @known = known.flat_map { |path| @roots.map { |folder| path.sub(/\A#{Regexp.escape(root)}/) { folder } } }
          @subjects = {}
          @plugins = []
          @remotes = []
          @volatile = []
          @foreign = Foreign.new
          @folder = Dir.pwd
          Hooks.install
        end

        def during(&block)
          features = $LOADED_FEATURES.dup
          Trace.current = self
          compiled.enable { Calls.watch(@foreign, ->(reason) { @volatile |= [reason] }, &block) }
        ensure
          Trace.current = nil
          loaded($LOADED_FEATURES - features)
        end

        # [[type, subject, found, pattern, flags]], digests taken now.
        def inputs
          version = "#{File.dirname(Bundler.method(:setup).source_location.first)}/bundler/version.rb"
          [*@subjects.keys, ["file", version]].map { |input| finished(*input) }
        end

        # [[type, absolute path or key, pattern, flags]], what was read without what was found.
        def subjects = @subjects.keys

        # Whether what was read depends on the folder that the program runs in.
        def here? = @here == true
        def here(caller_path) = unheard { stand_here unless @foreign.code?(caller_path) }

        # Reports of hooks. A hook's own work is not traced. from: the caller's path, nil where the path is absolute.
        def note(type, path, pattern = nil, flags = nil, from: nil)
          unheard do
            asked = path
            path = absolute(path) or next
            stand_here unless asked.to_s.start_with?("/", "~") || @foreign.code?(from)
            next if @foreign.file?(path) || (@known.include?(path) && type != "list")

            @subjects[[type, path, pattern, flags]] = true
          end
        end

        # What is asked in there is noted with its whole path. Without a path it would be HOME.
        def entered(path, from)
          path ? note("kind", path, from: from) : reject("goes to the home folder", from)
        end

        # A pattern that spells out the application's folder becomes relative to it.
        def globbed(patterns, flags, base, from)
          given = base.to_s
          base = unheard { Dir.pwd } if given.empty?
          patterns.flat_map { |pattern| pattern.to_s.split("\0") }.each do |pattern|
            here(from) unless given.start_with?("/") || pattern.start_with?("/")
            root = @roots.find { |folder| pattern.start_with?("#{folder}/") }
            root ? note("glob", root, pattern.delete_prefix("#{root}/"), flags) : note("glob", base, pattern, flags)
          end
        end

        def environment(key, caller_path)
          unheard { @subjects[["env", key.to_s, nil, nil]] = true unless @foreign.code?(caller_path) }
        end

        def environment_as_a_whole(caller_path)
          reject("reads the whole environment", caller_path)
        end

        def spawned(command, caller_path)
          unheard do
            words = command.flatten.grep(String).join(" ")
            next note_executables(caller_path) if caller_path.end_with?(".gemspec") && GIT_LISTING.match?(words)

            @volatile |= ["runs `#{words[0, 60]}`"]
          end
        end

        def reject(reason, caller_path)
          unheard { @volatile |= [reason] unless @foreign.code?(caller_path) }
        end

        def remote(uri)
          @remotes |= [uri.end_with?("/") ? uri : "#{uri}/"] if uri.match?(%r{\A[a-z]+://})
        end

        def plugin(name)
          @plugins |= [name.to_s]
        end

        def library?(path) = @foreign.kind(path) == :library

        def foreign?(caller_path) = @foreign.code?(caller_path)

        # What happens in the block is not traced.
        def unheard
          Trace.current = nil
          yield
        ensure
          Trace.current = self
        end

        private

        def compiled
          @compiled ||= TracePoint.new(:script_compiled) do |point|
            next if point.eval_script || Trace.current.nil?

            note("file", point.instruction_sequence.absolute_path || point.path)
          end
        end

        # Libraries in C compile no script.
        def loaded(features)
          features.each do |path|
            name = File.basename(path, ".*")
            @volatile |= ["uses #{UNTRACED[name]}"] if UNTRACED.key?(name) && !path.match?(VENDORED)
            @subjects[["file", path, nil, nil]] = true unless path.end_with?(".rb") || @foreign.file?(path)
          end
        end

        def note_executables(gemspec)
          @subjects[["glob", File.dirname(absolute(gemspec)), EXECUTABLES, 0]] = true
        end

        def absolute(path)
          path = path.to_path if path.respond_to?(:to_path)
          File.expand_path(path) if path.is_a?(String) && !path.start_with?("|") && !path.include?("\0")
        end

        # Bundler evaluates gemspecs in their own folders.
        def stand_here
          @here = true if Dir.pwd == @folder
        end

        def finished(type, subject, pattern = nil, flags = nil)
          return ["env", subject, (value = ENV[subject]) ? Digest::SHA256.hexdigest(value) : "-"] if type == "env"

          input = Input.new(type, subject, nil, pattern, flags)
          found = Input.read(input, "/", ENV, Digest::SHA256.method(:hexdigest))
          [type, relative(subject), found, *pattern, *flags]
        end

        def relative(path)
          root = @roots.find { |folder| path == folder || path.start_with?("#{folder}/") } or return path

          path == root ? "." : path.delete_prefix("#{root}/")
        end
      end
    end
  end
end
