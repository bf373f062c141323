# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # Writes the record by which the native front end (core/front/in_place.c) answers `spate install` without Ruby.
      #
      # An install with nothing to do is a function of what it looks at. So a process in the background repeats it under
      # the tracer, and records each path that it looked at: inode, type, owner, and what else of the path may matter.
      # Nothing here names a setting, a file or a variable that an install depends on.
      class InPlace
        autoload :Recorder, "spate/cli/install/in_place/recorder"

        FOLDER = "in-place"
        SCRIPT = File.expand_path("in_place/script.rb", __dir__)
        # Options that change neither the answer nor what it depends on.
        PLAIN = %i[gemfile json quiet color frozen jobs retry].freeze
        # In the environment of the repeated install.
        MARK = "SPATE_IN_PLACE"
        # Seconds between two attempts: after a record, and after a reason why there is none, since most of these last.
        PAUSE = 10
        LONG_PAUSE = 600
        LAUNCHER = "spate-ruby"

        # values: the options of the command. Returns true if a process was started.
        def self.start(values, report, context)
          return unless report.noop? && File.basename($PROGRAM_NAME) == LAUNCHER && (values.keys - PLAIN).empty?

          store, env = context.store.keeper, context.env
          return if store.nil? || env.key?(MARK) || env["SPATE_BOOT_BACKGROUND"] == "0"

          folder = store.make(store.path(FOLDER))
          new(folder, context.layout.root, values[:gemfile], env).start unless Util::StorePlace.distrust(folder, env,
                                                                                                         group: false)
        end

        # folder: of the records. bundle: the folder of the gems. gemfile: as given by --gemfile, or nil.
        def initialize(folder, bundle, gemfile, env)
          @directory = Dir.pwd
          @path = File.join(folder, InPlace.key(@directory, gemfile, env["BUNDLE_GEMFILE"]))
          @bundle = bundle
          @gemfile = gemfile
          @env = env
        end

        # As name_record in core/front/in_place.c.
        def self.key(directory, gemfile, named)
          Native.content_hash(nil, "#{directory}\0#{gemfile}\0#{named}\0".b)
        end

        def start
          return if recent?

          require "spate/boot/entry"
          options = ::Spate::Boot::Background::RubyOptions.load_path.flat_map { |place| ["-I", place] }
          words = [Util::Ruby.path, "--disable-gems", *options, SCRIPT, File.expand_path($PROGRAM_NAME), @path,
                   @directory, @bundle, *@gemfile]
          File.open(File::NULL, "w") do |null|
            Native.start_apart(words, @env.to_h.map { |pair| pair.map(&:b).join("=") }, null.fileno)
          end
          true
        rescue SystemCallError
          nil # the next install tries again
        end

        private

        # Whether the last attempt, which left a record or the reason, was a short time ago.
        def recent?
          stat = File.lstat(@path)
          stat.mtime > Time.now - (stat.size < Recorder::HEADER ? LONG_PAUSE : PAUSE)
        rescue SystemCallError
          false
        end
      end
    end
  end
end
