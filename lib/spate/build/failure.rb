# frozen_string_literal: true

module Spate
  module Build
    # A native extension failed to build. The details are the relevant lines of its log. #log is the path of the whole
    # log.
    class BuildError < Error
      EXIT_CODE = 10

      attr_reader :full_name, :command, :log

      # command: the failed command as shell text, or nil. reason: "exit code 2", or nil.
      def initialize(full_name, command: nil, reason: nil, log: nil, hint: nil, details: [])
        @full_name = full_name
        @command = command
        @log = log
        text = "#{full_name}: its native extension failed to build#{" (#{reason})" if reason}"
        more = { "failing command" => command, "full log" => log }.compact.map { |name, value| "#{name}: #{value}" }
        super([text, *more].join("; "), hint: hint, details: details)
      end
    end

    # Converts a failed build's log into an error message: the command, the relevant lines, the path of the whole log,
    # and the missing system package.
    class Failure
      autoload :Kept, "spate/build/failure/log"
      autoload :Log, "spate/build/failure/log"
      autoload :Packages, "spate/build/failure/packages"

      LINES = 12
      # Matches lines of compilers, linkers, make, mkmf, configure scripts, cargo and Ruby that show the cause.
      RELEVANT = /
        \b(?:fatal\s)?error(?:\[E\d+\])?:|undefined\sreference|cannot\sfind\s-l|library\snot\sfound|
        symbol\(s\)\snot\sfound|
        :\scommand\snot\sfound|:\snot\sfound$|No\ssuch\sfile\sor\sdirectory|Permission\sdenied|No\sspace\sleft|
        \*\*\*\s|is\smissing|(?:could\s?not|couldn't|can\s?not|can't)\s(?:find|be\sfound|load|locate)|
        Unable\sto|ERROR|\(\w*Error\)|
        Killed|out\sof\smemory|please\sinstall|required
      /xi
      # mkmf's final output and RubyGems' advice, which are long and the same for every failure.
      NOISE = /\A\s*(?:--with|--without|--ruby=|--srcdir|--curdir|\$\(|Provided\sconfiguration|necessary\slibraries|
               details\.|To\ssee\swhy|extconf\sfailed|make\sfailed|\*\*\*\sextconf\.rb\sfailed|
               .*Could\snot\screate\sMakefile)/xi
      # Messages that may mean that a makefile lacks a dependency between targets, so that parallel jobs ran in the
      # wrong order.
      ORDER = /No rule to make target|No such file or directory|cannot find|cannot stat|File exists|file truncated/
      # mkmf reports a missing compiler without its name.
      COMPILER = /compiler failed to generate an executable file|install development tools/

      def initialize(job, log, store: nil, path: ENV.fetch("PATH", ""))
        @job = job
        @log = log
        @store = store
        @path = path
      end

      def error
        BuildError.new(@job.package.full_name, command: @log.command, reason: @log.reason, log: kept, hint: hint,
                                               details: details)
      end

      # Whether the same build may succeed without parallel jobs.
      def maybe_wrong_order?
        @log.command.to_s.match?(/\A\S*make\b/) && ORDER.match?(@log.output) && missing.nil?
      end

      # The relevant lines, in order, followed by mkmf's last failed probes.
      def details
        lines = relevant_lines(@log.output)
        lines = @log.output.lines(chomp: true).reject { |line| NOISE.match?(line) || line.strip.empty? } if lines.empty?
        lines = lines.last(LINES)
        lines += failed_probes if @log.configuring?
        lines.map { |line| line.rstrip[0, 300] }
      end

      # A Packages::Missing, or nil.
      def missing
        @missing ||= Packages.find("#{@log.output}\n#{@log.configuring? ? failed_probes.join("\n") : ""}") || compiler
      end

      private

      def relevant_lines(text)
        text.lines(chomp: true).select { |line| RELEVANT.match?(line) && !NOISE.match?(line) }.uniq
      end

      # "find_header: checking for libpq-fe.h... -------------------- no"
      def failed_probes
        probes = @log.probes.lines(chomp: true).grep(/: checking .*-{3,} no\z/)
        probes.last(4).map { |line| line.sub(/ -+ no\z/, " no") }
      end

      def hint
        missing&.hint || "see the gem's README for its requirements; to pass build arguments: " \
                         "bundle config set build.#{@job.package.name} ARGUMENTS"
      end

      def compiler
        return unless COMPILER.match?(@log.output)

        name = Util::Ruby.config("CC").to_s.split.first or return
        found = @path.split(File::PATH_SEPARATOR).any? { |folder| File.executable?(File.expand_path(name, folder)) }
        Packages.known("gcc") unless found
      end

      # Copies the log, because the gem's folder will be removed. Returns the path of the copy or, on failure, of
      # RubyGems' log.
      def kept
        text = "#{@log.text}\n#{"mkmf.log:\n#{@log.probes}" unless @log.probes.empty?}"
        Kept.write(@store, @job.package.full_name, text) || File.join(@job.extension_dir, "gem_make.out")
      end
    end
  end
end
