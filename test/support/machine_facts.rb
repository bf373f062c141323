# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "spate"
require "spate/self_cache"

module Spate
  # Facts about the machine that a store records during its first install: how RubyGems writes gemspecs, the paths of
  # its folders, and Spate's own files, compiled. They take half of the processor time of an install into an empty HOME.
  # In a run of bin/test the first test program that needs them determines them with Spate's own code. TestProject
  # copies the results into its empty stores, unless facts: is false.
  #
  # SPATE_TEST_MACHINE is the folder for the results. Without it, every store starts empty.
  class MachineFacts
    LIBRARY = File.expand_path("../../lib", __dir__)
    # Has the interface of Layout::NamedBundler: the version in a lockfile, and the setting of TestProject.
    Bundler = Struct.new(:version, :setting)
    BUNDLERS = [nil, "2.3.15"].map { |version| Bundler.new(version, "system") }.freeze
    # If a HOME has one of these, RubyGems may report other folders.
    PERSONAL = %w[.gemrc .gem .config .local].freeze
    # Seconds for which no run compiles Spate's files again.
    FOR_GOOD = 86_400

    class << self
      # Fills the store of a TestProject, unless it exists. Returns whether it now has the compiled files.
      def copy(env)
        folder = ENV.fetch("SPATE_TEST_MACHINE", nil)
        home = env["HOME"]
        return false if folder.nil? || env["SPATE_HOME"] != "#{home}/spate"
        return File.exist?(SelfCache.path(env)) if File.exist?("#{home}/spate")
        return false if PERSONAL.any? { |name| File.exist?("#{home}/#{name}") }

        of(folder, env).copy(env)
        true
      end

      private

      def of(folder, env)
        @of ||= new(folder).tap { |facts| facts.learn(env) }
      end
    end

    def initialize(folder)
      @folder = folder
      @home = "#{folder}/home"
    end

    # Determines the facts once per folder. Other test programs wait.
    def learn(env)
      File.open("#{@folder}/lock", File::RDWR | File::CREAT) do |lock|
        lock.flock(File::LOCK_EX)
        next if File.exist?("#{@folder}/learned")

        FileUtils.mkdir_p(@home)
        ruby(moved(env), __FILE__, @folder)
        ruby(moved(env), "#{LIBRARY}/spate/self_cache/make.rb", compiled, SelfCache.key)
        File.write("#{@folder}/learned", "")
      end
    end

    # Runs in the child process of `learn`, whose HOME is in the folder.
    def ask
      probes = BUNDLERS.map { |bundler| Layout::RubygemsProbe.new(Store.open, ENV.to_h, bundler) }
      layout = Struct.new(:rubygems).new(probes.map(&:answer).first)
      Specification::Reader.new(store("#{@folder}/dialect"), layout).tap(&:warm_up).clean
    end

    def copy(env)
      mine = store(env["SPATE_HOME"])
      own = SelfCache.path(env)
      FileUtils.mkdir_p([mine.path("checks"), File.dirname(own)])
      FileUtils.cp(Dir.glob(store("#{@folder}/dialect").path("checks/*")), mine.path("checks"))
      BUNDLERS.each { |bundler| copy_folders(mine, env, bundler) }
      FileUtils.cp(compiled, own)
      FileUtils.touch("#{own}.lock", mtime: Time.now + FOR_GOOD)
    end

    private

    # Copies the record of RubyGems' folders, and replaces the template's HOME with this one.
    def copy_folders(mine, env, bundler)
      text = store("#{@home}/spate").read("checks", key(moved(env), bundler)) or return
      mine.write("checks", key(env, bundler), text.gsub(@home, env["HOME"]))
    end

    def key(env, bundler) = Layout::RubygemsProbe.new(nil, ENV.to_h.merge(env), bundler).send(:key)
    def moved(env) = env.merge("HOME" => @home, "SPATE_HOME" => "#{@home}/spate")
    def compiled = "#{@folder}/own/#{SelfCache.key}"
    def store(home) = Store.open(home: home, env: {})

    def ruby(env, *arguments)
      output, status = Open3.capture2e(env, RbConfig.ruby, "--disable-gems", "-I#{LIBRARY}", *arguments)
      raise "#{arguments.first}: #{output}" unless status.success?
    end
  end
end

Spate::MachineFacts.new(ARGV.first).ask if $PROGRAM_NAME == __FILE__
