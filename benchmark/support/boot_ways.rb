# frozen_string_literal: true

require "support/boot_row"
require "support/boot_bootsnap"

module Benchmark
  # The compared ways to boot one application: plain, with bootsnap, and with Spate's parts enabled one after another.
  # Each row checks that the expected parts were used.
  class BootWays
    OFF = { "SPATE_NO_LOAD_PATH_CACHE" => "1", "SPATE_NO_BUNDLE" => "1", "SPATE_NO_REPLAY" => "1", "SPATE_LEAN" => "0",
            "SPATE_HEAP" => "0" }.freeze
    # Part => the variable that disables it. Each step also includes the parts before it.
    STEPS = { "load_path_cache" => "SPATE_NO_LOAD_PATH_CACHE", "bundle" => "SPATE_NO_BUNDLE",
              "replay" => "SPATE_NO_REPLAY", "lean" => "SPATE_LEAN", "heap" => "SPATE_HEAP" }.freeze
    # Heap settings for an application of 4,500 features, by slot size; before Ruby 3.3 for malloc.
    HEAP = if RUBY_VERSION >= "3.3"
             { "RUBY_GC_HEAP_0_INIT_SLOTS" => "410000", "RUBY_GC_HEAP_1_INIT_SLOTS" => "83000",
               "RUBY_GC_HEAP_2_INIT_SLOTS" => "57000", "RUBY_GC_HEAP_3_INIT_SLOTS" => "2700",
               "RUBY_GC_HEAP_4_INIT_SLOTS" => "2300" }
           else
             { "RUBY_GC_OLDMALLOC_LIMIT" => (64 << 20).to_s }
           end

    attr_reader :app

    # mode: "development" or "production". before: called before every run. env: added to the application's variables.
    def initialize(app, mode: "development", before: nil, code: "load ENV.fetch(%q(BOOT_PROBE))", env: {})
      @app = app
      @mode = { "RAILS_ENV" => mode, "RACK_ENV" => mode, "BOOT_PROBE" => BootRow::PROBE, **env }
      @before = before
      @code = code
    end

    def plain = row("plain Ruby", ruby, proof: ->(facts) { accelerated(facts) || another_bundler(facts) })

    def bootsnap(name = "bootsnap #{BootBootsnap.version}", env = {})
      row(name, ruby, env: BootBootsnap.env.merge(env),
                      proof: ->(facts) { no_bootsnap(facts) || another_bundler(facts) })
    end

    def bootsnap_heap = bootsnap("bootsnap #{BootBootsnap.version}, same heap", HEAP)

    # The row with all parts up to and including `step`. The last step is the default for users, with heap settings if
    # they save time. The table shows whether they were used.
    def spate(step)
      names = STEPS.keys.take(STEPS.keys.index(step) + 1)
      row("Spate: #{"+ " if names.length > 1}#{step}", exec, env: OFF.except(*STEPS.values_at(*names)),
                                                             proof: ->(facts) { unproven(names, facts) })
    end

    def steps = STEPS.keys.map { |step| spate(step) }

    # The first boot after an install that built the compile caches. No boot has recorded yet what the application
    # loads.
    def first
      proof = ->(facts) { "no compile caches" unless facts[:loader].to_h[:hit].to_i > 500 }
      row("Spate, compile caches built", exec, proof: proof)
    end

    # Boots with the line for config/boot.rb, instead of `spate exec`.
    def required
      row('Spate: require "spate/boot"', ruby,
          env: { "BOOT_WITH" => "spate/boot", "SPATE_BOOT_FILE" => "#{Peers::ROOT}/lib/spate/boot" },
          proof: ->(facts) { unproven(%w[load_path_cache bundle replay], facts) })
    end

    # Boots until nothing more is recorded or built. Returns the number of boots.
    def warm(row, most: 12)
      last = nil
      most.times do |number|
        facts = row.sample.facts
        seen = [facts[:loader], facts[:parts]]
        return number + 1 if seen == last && number >= 2

        last = seen
        CompileCaches.settle(app)
      end
    end

    private

    def row(name, command, env: {}, proof: nil)
      BootRow.new(name, app, command, env: @mode.merge(env), before: @before, proof: proof)
    end

    def ruby
      command = app.command(@code)
      command.first == "ruby" ? command : ["ruby", *command]
    end

    def exec = [Peers.launcher, "exec", *app.command(@code)]

    def accelerated(facts) = ("something accelerates" if facts[:parts] || facts[:bootsnap])
    def no_bootsnap(facts) = ("bootsnap is not at work" unless facts[:bootsnap])
    def another_bundler(facts) = ("Bundler #{facts[:bundler]}" unless facts[:bundler] == Peers.bundler)

    # A description of the first part in `names` that did not run, or nil.
    def unproven(names, facts)
      parts = facts[:parts] or return "Spate is not there"

      found = facts[:requirer].to_h[:hit].to_i
      return "#{parts[:load_path_cache]}: #{found} features by the load-path cache" unless found > 100

      return no_bundle(facts) if names.include?("bundle") && no_bundle(facts)
      return "Bundler replay: #{parts[:replay]}" if names.include?("replay") && parts[:replay] != true

      "lean: #{parts[:lean]}" if names.include?("lean") && parts[:lean] != true
    end

    # At least 80% of the loaded features must come from compile caches.
    def no_bundle(facts)
      counts = facts[:loader].to_h
      hits = counts[:hit].to_i + counts[:revalidated].to_i
      "compile caches: #{counts}, #{facts[:features]} features" if hits < facts[:features] * 0.8
    end
  end
end
