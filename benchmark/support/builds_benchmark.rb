# frozen_string_literal: true

require "fileutils"
require "rubygems/package"
require "rubygems/remote_fetcher"
require "tmpdir"
require "spate"
require "spate/tracer"
require "spate/inputs"
require "spate/native/install"
require_relative "measure"

module Benchmark
  # Runs Spate's builder, alternately traced and untraced, then measures the reuse of the builds.
  class BuildsBenchmark
    Package = Struct.new(:name, :version, :full_name, :sha256)
    # The number of stored builds that one lookup checks.
    CROWD = 13

    def initialize(gems, rounds:)
      @gems = gems
      @rounds = rounds
    end

    def run
      abort Spate::Tracer.available? unless Spate::Tracer.available? == true

      Dir.mktmpdir("spate-builds-") do |folder|
        @folder = File.realpath(folder)
        @store = Spate::Store.open(home: "#{@folder}/home", env: {})
        Table.write("builds", [builds, reuse])
      end
    end

    private

    def builds
      table = Table.new("a build, #{@rounds} rounds in turn", ["gem", "s, untraced: median (min-max)", "s, traced",
                                                               "of untraced", "inputs", "bytes of the record"])
      @gems.each { |full_name| table.row(full_name, *figures(archive(full_name))) }
      table.note("of untraced: the median of each round's own quotient; to reach: 1.03")
      table
    end

    def figures(archive)
      build(archive) # unmeasured, to fill the page cache
      pairs = Array.new(@rounds) { [seconds { deaf { build(archive) } }, seconds { @stored = build(archive).stored }] }
      deaf, trace = pairs.transpose
      (@kept ||= []) << @stored
      [Figures.spread(deaf), Figures.spread(trace),
       format("%.3f", Figures.median(pairs.map { |without, with| with / without })),
       Spate::Inputs.each(@stored.inputs).to_a.size, File.size(@stored.inputs)]
    end

    def reuse
      table = Table.new("#{CROWD} builds used again, one decision", ["", "ms: median (min-max)"])
      records = Array.new(CROWD) { |index| @kept[index % @kept.size] }
      copies = records.map.with_index { |stored, index| copy(stored, index) }
      table.row("warm", spread { decide(copies) })
      table.row("all hashed again", spread { decide(copies.each { |copy| forget_stamps(copy) }, renew: false) })
      table.note("#{CROWD} records of #{@kept.size} gems; each decision has a memory of looks of its own")
      table
    end

    # A record under a separate key, like that of another gem.
    def copy(stored, index)
      key = Spate::Store.sha256("copy #{index}")
      id = stored.key.split("-").last
      copy = Spate::Build::Cache::Entry.new(@store, "#{key}-#{id}", stored.manifest)
      FileUtils.mkdir_p(File.dirname(copy.inputs))
      FileUtils.cp(stored.inputs, copy.inputs)
      copy
    end

    # Rewrites the record without file stamps, so that all contents must be compared.
    def forget_stamps(copy)
      entries = Spate::Inputs.each(copy.inputs).map do |kind, root, path, _|
        [kind, kind == :processor ? nil : [@roots[root], path].compact.join("/")]
      end
      Spate::Inputs.record(copy.inputs, entries, @roots, env: @environment.variables, portable: true)
    end

    def decide(copies, **)
      check = Spate::Build::Trace::ReuseCheck.new(@layout.root, @environment)
      copies.map { |copy| [copy, check] }.then do |pairs|
        started = now
        pairs.each { |copy, judge| judge.change(copy).then { |change| abort change.inspect if change } }
        now - started
      end
    end

    def spread(&block)
      @roots = Spate::Build::Trace::ReuseCheck.new(@layout.root, @environment).roots
      Figures.spread(Array.new(@rounds * 3, &block).map { |time| time * 1000 })
    end

    def archive(full_name)
      path = "#{@folder}/#{full_name}.gem"
      File.binwrite(path, Gem::RemoteFetcher.fetcher.fetch_path(Gem.sources.first.uri + "gems/#{full_name}.gem"))
      unpacked = @store.native.unpack(path, kind: :gem)
      unpacked.write_manifest(@store.package_path(unpacked.sha256), "")
      [Gem::Package.new(path).spec, unpacked.sha256]
    ensure
      unpacked&.close
    end

    # Builds as the installer does, in a separate bundle, without reusing stored builds.
    def build((spec, sha256))
      builder = fresh_builder
      gem_dir = "#{@layout.gems}/#{spec.full_name}"
      @store.native.link([[gem_dir, [@store.package(sha256)], :copy]])
      builder.build(package: Package.new(spec.name, spec.version, spec.full_name, sha256),
                    facts: Spate::Specification::Facts.new(extensions: spec.extensions,
                                                           require_paths: spec.require_paths),
                    gem_dir: gem_dir, extension_dir: "#{@layout.extensions}/#{spec.full_name}",
                    key: Spate::Store.sha256("#{spec.full_name} #{@number}"), specification: spec.to_ruby_for_cache,
                    package_manifest: @store.package(sha256))
    end

    def fresh_builder
      root = FileUtils.mkdir_p("#{@folder}/app#{@number = @number.to_i + 1}").first
      settings = Spate::Settings.load(root: root, env: ENV.to_h.merge("BUNDLE_PATH" => "bundle"))
      @layout = Spate::Layout.for(settings, root, store: @store)
      @environment ||= Spate::Build::Environment.new
      %w[gems specifications extensions].each { |name| FileUtils.mkdir_p(@layout.public_send(name)) }
      Spate::Build::Builder.new(store: @store, layout: @layout, settings: settings)
    end

    # Runs the block as on a system without a tracer.
    def deaf
      Spate::Tracer.singleton_class.alias_method(:was_available?, :available?)
      Spate::Tracer.define_singleton_method(:available?) { "switched off" }
      yield
    ensure
      Spate::Tracer.singleton_class.alias_method(:available?, :was_available?)
    end

    def seconds
      started = now
      yield
      now - started
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
