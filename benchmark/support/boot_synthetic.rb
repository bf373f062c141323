# frozen_string_literal: true

require "support/measure"
require "support/boot_bootsnap"

module Benchmark
  # Measures three hundred generated gems with 21 files each, like Spate's original proposal. Compares finding their
  # features by scanning and in a load-path cache. Also compares loading one cache file per source file with one bundle
  # per gem, with a hot and a cold page cache.
  class BootSynthetic
    GEMS = 300
    PARTS = 20
    FILES = GEMS * (PARTS + 1)
    CHILD = File.expand_path("boot_synthetic_child.rb", __dir__)
    DROP = "/proc/sys/vm/drop_caches"
    KEY = "0" * 32
    # Mode of the child => title of the row. The first row of each table is the baseline.
    FINDING = { "scan" => "scanning the load path, as bootsnap does without its cache", "search" => "Ruby's own search",
                "load_path_cache" => "Spate's load-path cache, opened and asked" }.freeze
    LOADING = { "bootsnap" => "bootsnap, a cache file each", "plain" => "plain Ruby",
                "bundles" => "Spate, a bundle each" }
              .freeze

    def initialize(pairs:)
      @pairs = pairs
      @folder = File.join(Peers::WORK, "boot", "synthetic-#{RUBY_VERSION[/\A\d+\.\d+/]}")
      @gems = "#{@folder}/gems"
    end

    def tables
      prepare
      [table("Finding #{FILES} features in #{GEMS} folders of the load path", FINDING),
       table("Loading #{FILES} files, page cache hot", LOADING), cold]
    end

    private

    def prepare
      BootBootsnap.prepare
      FileUtils.rm_rf("#{@folder}/cache")
      FileUtils.mkdir_p("#{@folder}/cache")
      make_gems unless File.directory?(@gems)
      make_compile_caches
    end

    def make_gems
      GEMS.times do |gem|
        name = format("gem%03d", gem)
        FileUtils.mkdir_p("#{@gems}/#{name}/lib/#{name}")
        requires = Array.new(PARTS) { |part| "require \"#{name}/part#{part}\"\n" }.join
        File.write("#{@gems}/#{name}/lib/#{name}.rb", requires)
        PARTS.times { |part| File.write("#{@gems}/#{name}/lib/#{name}/part#{part}.rb", source(name, part)) }
      end
    end

    def source(name, part)
      methods = Array.new(10) do |number|
        "    def call#{number}(value, *rest)\n      return rest.map { |one| one + value } if value.odd?\n\n" \
          "      \"#{name} \#{value}\"\n    end\n"
      end
      "module #{name.capitalize}\n  class Part#{part}\n#{methods.join("\n")}  end\nend\n"
    end

    def make_compile_caches
      require "spate/native/boot"
      libraries = Dir.children(@gems).sort.map { |name| "#{@gems}/#{name}/lib" }
      data = { "load_path_cache" => Spate::CompileCache::LoadPathCache.build(libraries) }
      Spate::Native::CompileCache.write("#{@folder}/cache/boot.compiled", key: KEY, files: [], data: data)
      Dir.children(@gems).each do |name|
        files = Dir.glob("#{@gems}/#{name}/lib/**/*.rb").map { |path| compiled(path) }
        Spate::Native::CompileCache.write("#{@folder}/cache/#{name}.compiled", key: KEY, files: files, data: {})
      end
    end

    def compiled(path)
      size, mtime, ctime, = Spate::Native.stat(path)
      stat = [size, mtime, ctime, Spate::Native.content_hash(path),
              Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)]
      [path, stat, RubyVM::InstructionSequence.compile_file(path).to_binary]
    end

    def cold
      title = "Loading #{FILES} files, page cache cold"
      return Table.new(title, ["", ""]).row("not run", "needs root") unless File.writable?(DROP)

      table(title, LOADING) do
        system("sync")
        File.write(DROP, "3")
      end
    end

    def table(title, modes, &before)
      modes.each_key { |mode| run(mode) }
      samples = modes.transform_values { [] }
      @pairs.times do |round|
        (round.even? ? modes.keys : modes.keys.reverse).each do |mode|
          before&.call
          samples[mode] << run(mode)
        end
      end
      rows(Table.new(title, ["", "ms", "to the first", "processes' CPU ms", "proof"]), modes, samples)
    end

    def rows(table, modes, samples)
      first = samples.values.first
      modes.each do |mode, name|
        own = samples[mode]
        ratio = Figures.median(own.zip(first).map { |one, base| one[0] / base[0] })
        table.row(name, format("%.1f (%.1f-%.1f)", Figures.median(own.map(&:first)), *own.map(&:first).minmax),
                  format("%.3f", ratio), Figures.median(own.map { |sample| sample[2] }).round, own.last[1])
      end
      table.note("#{@pairs} rounds, interleaved, every other one backwards; the clock starts when Ruby has. " \
                 "Proof: features found, files loaded, or loaded from compile caches.")
    end

    # [wall milliseconds, count, CPU milliseconds]
    def run(mode)
      before = Process.times
      output = IO.popen([RbConfig.ruby, CHILD, mode, @gems, "#{@folder}/cache", bootsnap], &:read)
      after = Process.times
      raise "#{mode} failed" unless $CHILD_STATUS.nil? || $CHILD_STATUS.success?

      wall, count = output.split
      raise "#{mode}: #{count} of #{FILES}" if count.to_i < FILES - GEMS

      [wall.to_f, count.to_i, (after.cutime + after.cstime - before.cutime - before.cstime) * 1e3]
    end

    def bootsnap = BootBootsnap.env.fetch("BOOTSNAP_LIB")
  end
end
