# frozen_string_literal: true

module Spate
  class Layout
    # Queries RubyGems in a child Ruby, unless the store contains a result whose inputs have not changed.
    class RubygemsProbe
      SCRIPT = File.expand_path("rubygems_script.rb", __dir__)
      # Environment variables that affect RubyGems' results.
      KEYS = %w[
        GEM_HOME GEM_PATH GEM_SPEC_CACHE GEMRC RUBYGEMS_GEMDEPS HOME RUBYLIB RUBYOPT XDG_CACHE_HOME XDG_CONFIG_HOME
        XDG_DATA_HOME XDG_STATE_HOME DEBIAN_RUBY_STANDALONE DEBIAN_DISABLE_RUBYGEMS_INTEGRATION BUNDLE_VERSION
        BUNDLER_VERSION
      ].freeze
      FORMAT = "rubygems 4"

      # bundler: a NamedBundler, or nil without an application.
      def initialize(store, env, bundler = nil)
        @store = store
        @given = env
        @bundler = bundler
        @mutex = Mutex.new
      end

      # The Rubygems of the machine, even if Spate runs in a bundle with another one. Raises Unanswered if the child
      # fails. Thread-safe; the child is started only once.
      def answer
        @mutex.synchronize { @answer ||= recalled || query }
      end

      # Starts the query in a thread if the result is unknown.
      def start
        return if @mutex.synchronize { @answer ||= recalled }

        Thread.new { answer }.report_on_exception = false # the next query raises the error
      end

      private

      def recalled
        text = @store&.read("checks", key) or return

        stamps, answer = text.split("\n\n", 2)
        return unless answer && stamps.each_line(chomp: true).all? { |line| current?(line) }

        Rubygems.parse(answer)
      end

      def query
        require_relative "../inputs"
        started = Inputs.start
        answer = Rubygems.parse(output)
        if @store && answer.files.none? { |path| changed?(path, started) }
          stamps = answer.files.map { |path| "#{path}\t#{stamp(path)}" }
          @store.write("checks", key, "#{stamps.join("\n")}\n\n#{@output}")
        end
        answer
      end

      # Runs the child in its own process group. Otherwise it would also receive a Ctrl-C, and print a long message if
      # it is just starting.
      def output
        Util::Child.run(env, SCRIPT, report: :out, pgroup: true) do |child|
          @output = child.read.force_encoding(Encoding.default_external)
          next @output if child.status.success? && @output.include?("version\t")

          raise Unanswered.new(ruby, child.status.exitstatus)
        end
      end

      def env
        @env ||= Util::Environment.clean(@given).merge("BUNDLER_VERSION" => @bundler&.version,
                                                       "BUNDLE_VERSION" => @bundler&.setting)
      end

      def key
        @key ||= Store.sha256("#{FORMAT}\n#{ruby}\n#{stamp(ruby)}\n" +
                             KEYS.map { |name| "#{name}=#{env[name]}\n" }.join)
      end

      def current?(line)
        path, known = line.split("\t", 2)
        stamp(path) == known
      end

      # Whether a file, or the folder of a pattern, may have changed while the child ran.
      def changed?(path, since)
        Inputs.since?(File.stat(path.include?("*") ? File.dirname(path) : path).ctime, since)
      rescue SystemCallError
        false # the file is missing
      end

      # The stamp of a pattern is the list of matching names.
      def stamp(path) = path.include?("*") ? Dir.glob(path).sort.join(" ") : Util.stamp(path)

      def ruby = Util::Ruby.path

      # The child Ruby did not start, or could not load RubyGems.
      class Unanswered < Error
        EXIT_CODE = 15

        def initialize(ruby, status)
          super("#{ruby} could not report the folders of its RubyGems (exit status #{status.inspect})",
                hint: "check whether this works: #{ruby} -S gem env")
        end
      end
    end
  end
end
