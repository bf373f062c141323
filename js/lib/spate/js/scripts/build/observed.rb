# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      class Build
        # What a package's scripts stand on. As with a gem's extension, but what they wrote elsewhere would be missing
        # the next time, so such a build is not kept.
        class Observed < ::Spate::Build::Trace::ObservedInputs
          # What goes, or is made again by whoever needs it.
          PASSING = %r{\A/(?:dev|proc|sys)(?:/|\z)|/__pycache__(?:/|\z)}
          # They say where the project is, of which a part may be in the result.
          WHERE = %w[INIT_CWD npm_config_local_prefix npm_package_json PNPM_SCRIPT_SRC_DIR].freeze
          CACHES = %w[.cache .npm .node-gyp .electron-gyp].freeze

          def initialize(heard, job, environment:, **given)
            super
            @folder = "#{job.gem_dir}/"
            @inner = "#{real(job.gem_dir)}#{Folder::MODULES}/"
            home = environment["HOME"]
            places = [environment["TMPDIR"], environment["XDG_CACHE_HOME"], environment["npm_config_cache"], "/tmp",
                      "/var/tmp", *(CACHES.map { |name| "#{home}/#{name}" } if home)]
            @passing = places.compact.map { |place| "#{place.chomp("/")}/" }
            @heard_all = heard
            @job = job
          end

          def doubt = super || outside_writes
          def bound? = WHERE.any? { |name| words.say?(name) || @job.texts.any? { |text| text.include?(name) } }

          private

          # Scripts have all variables without asking.
          def places = @environment.places

          # Other packages may lie in its folder; those of the archive count with them.
          def own?(path) = super && !inner?(path)
          def known?(path) = super && !inner?(path)
          def inner?(path) = "#{path}/".start_with?(@inner)

          # Which packages a project has, and what lies beside them, differs from one to another.
          def chance?(*) = false

          # Some packages link another's file into their folder (esbuild): that gave it a name, and nothing else.
          def touched?(stat) = super && (stat.nlink == 1 || stat.mtime >= @since)

          def outside_writes
            path = @heard_all.flat_map(&:written).find do |at|
              !kept?(at) && !PASSING.match?(at) && !"#{at}/".start_with?(*passing) &&
                ::Spate::Build::Trace::Content.there?(at)
            end
            "it wrote #{path}" if path
          end

          def kept?(path) = path.start_with?(@folder) && !(@job.left_out && path.start_with?("#{@job.left_out}/"))

          # Not where the project itself is below one of them.
          def passing = @passing.reject { |place| @folder.start_with?(place) }
        end
      end
    end
  end
end
