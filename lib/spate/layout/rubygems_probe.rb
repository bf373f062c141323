# frozen_string_literal: true

module Spate
  class Layout
    # Asks a child Ruby about its RubyGems, unless the store knows the answer and nothing it came from has changed.
    class RubygemsProbe
      SCRIPT = File.expand_path("rubygems_script.rb", __dir__)
      # Parts of the environment that change RubyGems' answers.
      KEYS = %w[
        GEM_HOME GEM_PATH GEM_SPEC_CACHE GEMRC RUBYGEMS_GEMDEPS HOME RUBYLIB RUBYOPT XDG_CACHE_HOME XDG_CONFIG_HOME
        XDG_DATA_HOME XDG_STATE_HOME DEBIAN_RUBY_STANDALONE DEBIAN_DISABLE_RUBYGEMS_INTEGRATION BUNDLE_VERSION
        BUNDLER_VERSION
      ].freeze
      FORMAT = "rubygems 4"

      # bundler: a NamedBundler, or nil where no application is asked about.
      def initialize(store, env, bundler = nil)
        @store = store
        @given = env
        @bundler = bundler
        @mutex = Mutex.new
      end

      # A Rubygems: of the machine, not of a bundle that Spate may run in. Raises Unanswered where the child fails. Any
      # thread may ask; the child is started once.
      def answer
        @mutex.synchronize { @answer ||= recalled || asked }
      end

      # Begins to ask, in a thread, where the answer is not known.
      def start
        return if @mutex.synchronize { @answer ||= recalled }

        Thread.new { answer }.report_on_exception = false # whoever needs the answer asks again, and gets the error
      end

      private

      def recalled
        text = @store&.read("verdicts", key) or return

        stamps, answer = text.split("\n\n", 2)
        return unless answer && stamps.each_line(chomp: true).all? { |line| current?(line) }

        Rubygems.parse(answer)
      end

      def asked
        answer = Rubygems.parse(output)
        if @store
          stamps = answer.files.map { |path| "#{path}\t#{stamp(path)}" }
          @store.write("verdicts", key, "#{stamps.join("\n")}\n\n#{@output}")
        end
        answer
      end

      # In a process group of its own: a Ruby that gets Ctrl-C while it starts prints a long message.
      def output
        Ground::Child.run(env, SCRIPT, report: :out, pgroup: true) do |child|
          @output = child.read.force_encoding(Encoding.default_external)
          next @output if child.status.success? && @output.include?("version\t")

          raise Unanswered.new(ruby, child.status.exitstatus)
        end
      end

      def env
        @env ||= Ground::Environment.clean(@given).merge("BUNDLER_VERSION" => @bundler&.version,
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

      # Of a pattern the names that it finds.
      def stamp(path) = path.include?("*") ? Dir.glob(path).sort.join(" ") : Ground.stamp(path)

      def ruby = Ground::Ruby.path

      # The child Ruby did not start, or its RubyGems does not load.
      class Unanswered < Error
        EXIT_CODE = 15

        def initialize(ruby, status)
          super("#{ruby} did not say where its RubyGems keeps gems (exit status #{status.inspect})",
                hint: "see whether this works: #{ruby} -S gem env")
        end
      end
    end
  end
end
