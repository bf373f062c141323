# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # Everything about one application, from what is known of it to its images: what `spate boot build`, an install
      # and the background do.
      class Project
        # Seconds to wait before each further try at a stand-in, while what Bundler looks at changes.
        PAUSES = [0.1, 0.3, 1, 2].freeze

        # location: answers root, gemfile and lockfile, absolute; gemfile and lockfile nil without a bundle.
        # exclude: patterns of folders of gems, and of recorded files, whose code is not wanted.
        def initialize(location, images:, env: ENV, jobs: nil, events: nil, exclude: [])
          @location = location
          @images = images
          @env = env.to_h
          @jobs = jobs
          @events = events
          @exclude = exclude
        end

        # Makes what is missing. renew: also what the image says of the bundle (index, stand-in, images of gems), which
        # otherwise stays as it is while Gemfile and lockfile do. Answers a Report; a busy one where another process is
        # at it.
        def call(renew: false)
          return refused unless @images.writable?(@env)

          @images.make
          report = Report.new(busy: true)
          Lock.hold(@images.lock_path(*place)) do
            report = build(renew || !current?)
            report = build(false) if report.warnings.empty? && Recording::Drop.waiting?(recording_path)
            done(report) if report.warnings.empty?
          end
          report
        end

        private

        def place = [@location.root, @location.gemfile]
        def recording_path = @images.recording_path(*place)

        def done(report)
          Background.attempts(@images, @location).forget
          report.tidied(Tidy.new(@images.store_root).now_and_then)
        end

        # Whether there is an image, of the bundle as it is now.
        def current? = BootImage.new(@images, @location).current?

        def build(renew)
          recording = Recording::Drop.collect(recording_path)
          @folders = recording.folders
          recorded = recording.paths.reject { |path| exclude?(path) }
          Builder.new(images: @images, jobs: @jobs, events: @events)
                 .build(location: @location, recorded: recorded, folders: @folders, **(renew ? facts : index))
        end

        # The index again, where boots were seen to add folders to the load path that it has not.
        def index
          image = BootImage.new(@images, @location, folders: @folders)
          return {} if image.folders?

          first, *others = Standin::Records::NAMES.filter_map { |name| image.old.data(name) }
          { index: index_of(Survey.new(@location, first, environment), surveys(others)) }
        end

        # others: Surveys of the bundle in other environments.
        def index_of(survey, others)
          part("index") do
            folders = @folders.select { |path| File.directory?(path) }
            Index.build(survey.load_path, extra_roots: (folders + others.flat_map(&:load_path)).uniq,
                                          ignored: @env["BOOTSNAP_IGNORE_DIRECTORIES"])
          end
        end

        # What the bundle is.
        def facts
          standin = part("stand-in") { standin() }
          others = standin ? others() : []
          first, *rest = surveys = [Survey.new(@location, standin, environment), *surveys(others)]
          gems = part("gems") { surveys.flat_map(&:gems).uniq(&:dir).reject { |gem| exclude?(gem.dir) } }
          { standin: standin, others: others, gems: gems, own: part("gems") { surveys.flat_map(&:own).uniq },
            index: index_of(first, rest) }
        end

        def others = Standin::Records.of(BootImage.new(@images, @location).old).others(environment)
        def surveys(records) = records.map { |bytes| Survey.new(@location, bytes, environment) }

        def standin
          return unless @location.gemfile && File.file?(@location.lockfile.to_s)

          settings = Settings.load(root: @location.root, env: environment)
          store = Store.open(home: File.dirname(@images.store_root, 2), env: @env)
          [*PAUSES, nil].each do |pause|
            bytes = Standin.make(@location, settings, store)
            record = Standin::Record.new(bytes)
            return bytes unless pause && record.refused && record.outdated?(environment)

            sleep(pause)
          end
        end

        # A part that cannot be made is left out: the boot goes on without it.
        def part(name)
          yield
        rescue StandardError, LoadError => e
          @events&.emit(:warning, message: "boot images: no #{name}: #{e.class}: #{FirstWords.of(e)}")
          nil
        end

        def environment = @environment ||= Ground::Environment.clean(@env)

        def exclude?(path) = @exclude.any? { |pattern| path.match?(pattern) }

        def refused
          Report.new.tap { |report| report.warnings << (@images.refusal || "#{@images.folder} cannot be written") }
        end
      end
    end
  end
end
