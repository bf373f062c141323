# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      class Build
        # The inputs of a package's scripts. As for a gem's extension, except that a build that wrote files elsewhere is
        # not stored: they would be missing on reuse.
        class Observed < ::Spate::Build::Trace::ObservedInputs
          # Files that are temporary, or created again on demand.
          PASSING = %r{\A/(?:dev|proc|sys)(?:/|\z)|/__pycache__(?:/|\z)}
          # These contain the project's path, which may be part of the result.
          WHERE = %w[INIT_CWD npm_config_local_prefix npm_package_json PNPM_SCRIPT_SRC_DIR].freeze
          CACHES = %w[.cache .npm .node-gyp .electron-gyp].freeze

          def initialize(trace, job, environment:, **given)
            super
            @folder = "#{job.gem_dir}/"
            @inner = "#{real(job.gem_dir)}#{Folder::MODULES}/"
            home = environment["HOME"]
            places = [environment["TMPDIR"], environment["XDG_CACHE_HOME"], environment["npm_config_cache"], "/tmp",
                      "/var/tmp", *(CACHES.map { |name| "#{home}/#{name}" } if home)]
            @passing = places.compact.map { |place| "#{place.chomp("/")}/" }
            @traces = trace
            @job = job
          end

          def doubt = super || outside_writes
          def bound? = WHERE.any? { |name| words.say?(name) || @job.texts.any? { |text| text.include?(name) } }

          private

          # Scripts have all variables in their environment.
          def places = @environment.places

          # Excludes packages in its node_modules, bundled ones included.
          def own?(path) = super && !inner?(path)
          def known?(path) = super && !inner?(path)
          def inner?(path) = "#{path}/".start_with?(@inner)

          # Neighbouring packages and files differ from project to project.
          def chance?(*) = false

          # Some packages hard-link another's file into their folder (esbuild), which changes its ctime only.
          def touched?(stat) = super && (stat.nlink == 1 || stat.mtime >= @since)

          def outside_writes
            path = @traces.flat_map(&:written).find do |at|
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
