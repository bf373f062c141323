# frozen_string_literal: true

module Spate
  # From an installed bundle to a running application. Loaded in the application's own process: core Ruby and
  # spate/native/boot only, and every file by its absolute path, for the program's $LOAD_PATH is the program's.
  #
  # Reading order: start, session, switches; then what each part does: lean, heap, children, bootsnap, yaml_cache.
  module Boot
    FOLDER = __dir__
    # Where Spate's own library is, without a place for it on the program's $LOAD_PATH.
    LIBRARY = File.expand_path("../..", __dir__)

    {
      Application: "application", AppImage: "app_image", Background: "background", Bootsnap: "bootsnap",
      BootEnd: "boot_end", Builder: "builder", Bundled: "bundled", Children: "children", Compiler: "compiler",
      GemBundle: "gem_bundle", Heap: "heap", Images: "images", Index: "index", JsonCache: "json_cache",
      Lean: "lean", Log: "log", Program: "program", Recording: "recording", RubyKey: "ruby_key",
      Session: "session", Standin: "standin", Start: "start", Switches: "switches", Tidy: "tidy",
      YamlCache: "yaml_cache"
    }.each { |name, file| autoload name, "#{FOLDER}/#{file}" }

    class << self
      # The boot of this process, nil where Spate takes no part in it.
      attr_reader :session

      # Called as (event, path, reason): :hit, :miss, :stale, :revalidated, :damaged, :warns, :rebuilt. nil turns it off.
      attr_reader :instrumentation

      def instrumentation=(block)
        @instrumentation = block
        Log.listen(block)
      end

      # Starts once a process. from: the file that asks, whose application it then is; nil: the one of this folder.
      # Answers the session, or nil where SPATE_BOOT=0. Never raises.
      def start(from = nil, program: false)
        @session ||= Start.new(from: from, program: program).call
      rescue StandardError, LoadError, NotImplementedError => e
        Log.warn("this boot goes on without Spate: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        nil
      end

      # Runs the block with Spate's library on the $LOAD_PATH.
      def at_home
        present = $LOAD_PATH.include?(LIBRARY)
        $LOAD_PATH.push(LIBRARY) unless present
        yield
      ensure
        $LOAD_PATH.delete_at($LOAD_PATH.rindex(LIBRARY)) if !present && $LOAD_PATH.include?(LIBRARY)
      end
    end
  end
end
