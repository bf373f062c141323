# frozen_string_literal: true

require "#{__dir__}/../../gemfile/environment"
require "#{__dir__}/../../layout/ruby"

module Spate
  module Boot
    module Standin
      # Asks the real Bundler in a child process, and notes how everything that it looked at is now. What changed while
      # it looked makes the record one that is never used.
      class Making
        SCRIPT = "#{FOLDER}/child/main.rb".freeze
        # The child's file descriptor for its report; what the Gemfile prints goes elsewhere.
        REPORT = 3
        # RubyGems' word on default gems that it activated for itself, which a program by the stand-in has not.
        AMBIGUOUS = /^WARN: Unresolved or ambiguous specs.*?^Please report a bug if this causes problems\.\n/m
        FACTS = %i[
          bundler lib gemfile lockfile root bundle_path rubygems env_saved env_set env_deleted env_composed load_path
          specs loaded all named bundled dependencies constants autoloads marks replayed library
          public_gem warns_of_bundled require_switch program_paths requires_formerly
        ].freeze

        def initialize(location, settings)
          @location = location
          @env = Gemfile::Environment.clean(settings.env)
        end

        def bytes
          sleep(1.5 * Native::RACY_NS / 1_000_000_000)
          @began = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
          said, disk = look
          said, disk = look_again(disk) unless said[:refused] || settled?(disk)
          return refusal(said) if said[:refused]

          Record.bytes({ refused: nil, ruby: Validity.ruby, env: environment(said), disk: Disk.pack(disk, @began),
                         folder: (@location.root if said[:here]) },
                       said.slice(*FACTS), said[:more])
        end

        private

        # [what Bundler said, everything that it looked at]
        def look
          said = ask
          return [said, []] if said[:refused]

          disk = inputs(said)
          changing = disk.filter_map { |_, path, stamp| path if stamp && (@began..).cover?(stamp[2] + Native::RACY_NS) }
          [changing.any? ? changes(changing.first(3)) : said, disk]
        end

        # Whether times prove that all of it was the same while Bundler looked.
        def settled?(disk)
          disk.all? { |_, path, stamp| stamp.nil? || Native.doubt(path, *stamp, @began).nil? }
        end

        # Where they do not: what is the same before and after a second look was what that look saw.
        def look_again(before)
          said, disk = look
          same = [before, disk].map { |inputs| inputs.map { |type, path, _, *found| [type, path, *found] } }.uniq.one?
          [same || said[:refused] ? said : changes(["what Bundler looks at"]), disk]
        end

        def changes(names) = { refused: names.map { |name| "#{name} changes just now" }, again: true }

        def refusal(said)
          Record.bytes({ refused: said[:refused].join("; "), again: said[:again] == true })
        end

        def ask
          report, report_end = IO.pipe(binmode: true)
          noise, noise_end = IO.pipe(binmode: true)
          channels = { in: File::NULL, %i[out err] => noise_end, REPORT => report_end }
          pid = Process.spawn(environment_of_child, Layout::Ruby.path, "--disable-gems", SCRIPT, @location.gemfile,
                              @location.lockfile, chdir: @location.root, unsetenv_others: true, close_others: true,
                                                  **channels)
          [report_end, noise_end].each(&:close)
          said, printed = [report, noise].map { |pipe| Thread.new { pipe.read } }.map(&:value)
          Process.wait(pid)
          understood(said, printed)
        ensure
          [report, report_end, noise, noise_end].each { |pipe| pipe&.close }
        end

        def understood(said, printed)
          printed = printed.gsub(AMBIGUOUS, "")
          last = printed.lines.last.to_s.chomp
          return { refused: ["Bundler does not run: #{last}"] } if said.empty?

          said = Marshal.load(said) # rubocop:disable Security/MarshalLoad -- from our own child
          said[:refused] ||= ["the Gemfile, or Bundler, prints: #{last}"] unless printed.empty?
          said
        end

        def environment_of_child
          named = !@env["BUNDLE_GEMFILE"].to_s.empty? ||
                  !%w[Gemfile gems.rb].include?(File.basename(@location.gemfile))
          named ? @env.merge("BUNDLE_GEMFILE" => @location.gemfile) : @env
        end

        # Keys that Bundler, RubyGems or the Gemfile read.
        def environment(said)
          before, after = said.values_at(:env_before, :env_after)
          asked = said[:subjects].filter_map { |type, key| key if type == "env" }
          keys = [*Environment::WATCHED, *Environment.watched(before), *Environment.watched(after), *asked]
          keys.uniq.to_h do |key|
            values = [before, after].map { |env| Environment.value(env, key) }
            values << nil << @location.gemfile if key == "BUNDLE_GEMFILE" && !asked.include?(key)
            [key, values.uniq.map { |value| value && Input.hash(value) }]
          end
        end

        def inputs(said)
          looked_at = [*files(said), *folders(said), *gems(said), *read(said)]
          looked_at.reject! { |_, path| path.is_a?(String) && Gemfile::USERINFO.match?(path) } # a git source's address
          looked_at.flat_map { |input| with_target(input) }.uniq { |type, path, pattern| [type, path, pattern] }
                   .map { |input| Input.read(*input) }
        end

        # A stamp is that of a symbolic link itself: what it leads to is looked at too.
        def with_target(input)
          type, path, *rest = input
          File.symlink?(path) ? [input, [type, File.realpath(path), *rest]] : [input]
        rescue SystemCallError
          [input]
        end

        def files(said)
          [said[:gemfile], said[:lockfile], *said[:configs], said[:rubygems_file], "#{said[:lib]}/bundler/version.rb"]
            .map { |path| [:file, path] }
        end

        # Which gems are installed; of the places that only Bundler itself came from, which Bundlers.
        def folders(said)
          own = said[:gem_path]
          [*own.flat_map { |path| [[:folder, "#{path}/specifications"], [:gems, "#{path}/gems"]] },
           [:folder, said[:default_specifications]],
           *(said[:gem_path_before] - own).map { |path| [:folder, "#{path}/specifications", "bundler-*.gemspec"] }]
        end

        # Gems of the bundle: the gemspec, the folder, and whether the native part is built.
        def gems(said)
          specs = said[:bundled].map { |index| said[:specs][index] }
          specs.flat_map do |_, _, _, loaded_from, folder, _, _, extension_dir, extensions|
            [([:file, loaded_from] if loaded_from), [:kind, folder],
             ([:kind, "#{extension_dir}/gem.build_complete"] if extensions.any?)].compact
          end
        end

        # What evaluating read. What is said of installed gems is in `folders` and `gems`.
        def read(said)
          said[:subjects].filter_map do |type, path, pattern, flags|
            installed = said[:gem_path].any? do |place|
              path.start_with?("#{place}/") && !path.start_with?("#{place}/bundler/")
            end
            case type
            when "file" then [:file, path]
            when "kind", "state" then [type.to_sym, path] unless installed
            when "list" then [:folder, path] unless installed
            when "glob" then [:glob, path, pattern, flags] unless installed
            end
          end
        end
      end
    end
  end
end
