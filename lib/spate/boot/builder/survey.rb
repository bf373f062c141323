# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # What a bundle consists of: load path and gem folders. The stand-in knows; where it may not be used, the real
      # Bundler is asked once more, for images and index serve that bundle just as well.
      class Survey
        SCRIPT = "#{__dir__}/survey_script.rb".freeze
        REPORT = 3

        # standin: bytes of Standin.make, or nil. env: of the user, before Bundler changed it.
        def initialize(location, standin, env)
          @location = location
          @standin = standin
          @env = env
        end

        # Folders, absolute, as $LOAD_PATH has them when the bundle is set up.
        def load_path = (said[:load_path] + plain).uniq

        # [GemBundle] of installed gems.
        def gems
          @gems ||= installed.map { |dir, require_paths| GemBundle.new(dir, require_paths: require_paths) }
        end

        # Folders of gems that are worked on: those of PATH sources.
        def own = said[:gems].map(&:first) - installed.map(&:first)

        private

        def installed = @installed ||= said[:gems].select { |dir, _| installed?(dir) }

        # gems/NAME-VERSION beside specifications/, or a checkout of Bundler's.
        def installed?(dir)
          dir.include?("/bundler/gems/") || File.directory?("#{File.dirname(dir, 2)}/specifications")
        end

        def said
          @said ||= utf8((known if @standin) || (ask if @location.gemfile) || { load_path: [], gems: [] })
        end

        def known
          found = Standin.survey(@standin)
          found unless found[:gems].empty?
        end

        # As images have their paths, whatever the locale of who was asked.
        def utf8(facts)
          text = ->(path) { path.dup.force_encoding(Encoding::UTF_8) }
          gems = facts[:gems].map { |dir, require_paths| [text.call(dir), require_paths&.map(&text)] }
          { load_path: facts[:load_path].map(&text), gems: gems }
        end

        def ask
          report, report_end = IO.pipe(binmode: true)
          pid = Process.spawn(environment, Layout::Ruby.path, SCRIPT, chdir: @location.root, unsetenv_others: true,
                                                                      close_others: true, in: File::NULL,
                                                                      %i[out err] => File::NULL, REPORT => report_end)
          report_end.close
          text = report.read
          Process.wait(pid)
          Marshal.load(text) unless text.empty? # rubocop:disable Security/MarshalLoad -- of a child of our own
        ensure
          [report, report_end].each { |pipe| pipe&.close }
        end

        def environment = @env.merge("BUNDLE_GEMFILE" => @location.gemfile)

        # What Ruby itself searches: this process was started without options that add to it.
        def plain
          own = [LIBRARY]
          $LOAD_PATH.map(&:to_s).reject { |path| own.include?(path) || File.exist?("#{path}/spate/native/boot.so") }
        end
      end
    end
  end
end
