# frozen_string_literal: true

module Benchmark
  # The rows of the install benchmark: how each tool or lower bound is started, and how its folder is emptied before
  # each run. The including class sets @workspace and @scint.
  module InstallRows
    FLOORS = File.expand_path("../../build/floor", __dir__)
    THREADS = Etc.nprocessors.to_s

    private

    def row(name, tool, command, before: nil, vendored: false, env: {}, check: nil, optional: false)
      folder, own = @workspace.app(tool, vendored: vendored)
      Measure::Row.new(name: name, before: before, env: own.merge(env), command: command, folder: folder,
                       check: check, optional: optional)
    end

    def spate_row(name, tool: :spate, vendored: false, before: nil, env: {})
      clear = lambda do
        Peers.aside(@workspace.bundle(tool))
        before&.call
      end
      row(name, tool, [Peers.launcher, "install", "--quiet"],
          before: clear, vendored: vendored, env: env, check: -> { verify(tool) })
    end

    # Checks the result with `bundle check`.
    def verify(tool)
      @workspace.run(tool, Peers.bundler_command("check"))
    end

    def bundler_row(tool: :bundler, vendored: true, skip: false)
      tool = :"#{tool}_skipping" if skip
      env = skip ? { "RUBYOPT" => "-r#{File.expand_path("skip_extensions", __dir__)}" } : {}
      name = "Bundler #{bundler_version}#{", extensions skipped" if skip}"
      row(name, tool, Peers.bundler_command("install", "--quiet"),
          before: -> { forget(tool) }, vendored: vendored, env: env)
    end

    # Bundler with its cache for all projects, which contains archives and, in some versions, extensions.
    def cached_bundler_row
      tool = :bundler_cached
      env = { "BUNDLE_GLOBAL_GEM_CACHE" => "true" }
      @workspace.app(tool)
      @workspace.run(tool, Peers.bundler_command("install", "--quiet"), **env)
      row("Bundler #{bundler_version}, global_gem_cache full", tool, Peers.bundler_command("install", "--quiet"),
          before: -> { Peers.aside(@workspace.bundle(tool)) }, env: env)
    end

    def forget(tool)
      Peers.aside(@workspace.bundle(tool))
      Peers.aside("#{@workspace.home(tool)}/.bundle")
    end

    def bundler_version = File.basename(Peers.newest_bundler).delete_prefix("bundler-")

    def bundler_noop
      @workspace.app(:bundler, vendored: true)
      @workspace.run(:bundler, Peers.bundler_command("install", "--quiet"))
      row("Bundler #{bundler_version}", :bundler, Peers.bundler_command("install", "--quiet"), vendored: true)
    end

    def ruby_row = row("ruby -e 1", :spate, [RbConfig.ruby, "-e", "1"])

    def wrapper
      [RbConfig.ruby, "-I#{Peers::ROOT}/lib", "#{Peers::ROOT}/exe/spate", "install"]
    end

    def link_floor
      source = @workspace.bundle(:spate)
      keep = "#{@workspace.folder}/floor-tree"
      unless File.directory?(keep)
        @workspace.run(:spate, [Peers.launcher, "install", "--quiet"])
        FileUtils.cp_r(source, keep)
      end
      floor("floor: mkdir and link, C, #{THREADS} threads", ["#{FLOORS}/link", THREADS, keep])
    end

    def extract_floor
      floor("floor: extract alone, C, #{THREADS} threads", ["#{FLOORS}/extract", THREADS], @workspace.archive_files)
    end

    def floor(name, head, tail = [])
      target = "#{@workspace.folder}/floor-run"
      row(name, :spate, [*head, target, *tail], before: -> { Peers.aside(target) })
    end

    def download_row
      target = "#{@workspace.folder}/downloaded"
      command = [RbConfig.ruby, File.expand_path("download_only.rb", __dir__), @workspace.source.url, target]
      names = @workspace.archive_files.map { |path| File.basename(path) }
      row("downloading alone", :spate, [*command, *names], before: -> { Peers.aside(target) })
    end

    # A cold install without downloads: all gems are in the store, but no builds.
    def builds_row(name = "builds alone", tool: :builds, env: {})
      fill(tool)
      store = "#{@workspace.home(tool)}/spate/store/v1"
      forget = -> { %w[builds variants].each { |kept| Peers.aside("#{store}/#{kept}") } }
      spate_row(name, tool: tool, before: forget, env: env)
    end

    # The same as #builds_row, without tracing.
    def deaf_builds_row
      builds_row("the same, untraced", tool: :deaf_builds,
                                       env: { "RUBYOPT" => "-r#{File.expand_path("deaf", __dir__)}" })
    end

    def scint_row(cold: false)
      return unless @scint

      tool = cold ? :scint_cold : :scint
      row(cold ? "scint" : "scint, warm", tool, scint("install"), env: scint_env(tool), optional: true, before: lambda {
        Peers.aside("#{@workspace.folder}/#{tool}/.bundle")
        Peers.aside("#{@workspace.home(tool)}/.cache") if cold
      })
    end

    def scint_noop = @scint && row("scint", :scint, scint("install"), env: scint_env(:scint), optional: true)
    def scint(*arguments) = [RbConfig.ruby, "-I#{@scint}/lib", "#{@scint}/bin/scint", *arguments]
    def scint_env(tool) = { "BUNDLE_PATH" => nil, "XDG_CACHE_HOME" => "#{@workspace.home(tool)}/.cache" }
  end
end
