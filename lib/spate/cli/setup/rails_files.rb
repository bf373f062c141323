# frozen_string_literal: true

module Spate
  module CLI
    class Setup < Command
      # The files of a Rails application that Spate can be added to, as `rails new` of Rails 7.1 to 8.1 generates them.
      # Each method accepts a file's text, and returns the changed text. It returns the same text if the file already
      # uses Spate, or does not contain the generated lines.
      module RailsFiles
        ACTION = ".github/actions/setup-spate/action.yml"
        # The path of this gem's copy.
        ACTION_SOURCE = File.expand_path("../../../../#{ACTION}", __dir__)
        FILES = { "bin/setup" => :bin_setup, "config/boot.rb" => :boot, "Dockerfile" => :dockerfile,
                  ".github/workflows/ci.yml" => :workflow }.freeze

        LINES = 2000
        BUNDLE = /^(\s*)(system\(["']bundle check["']\) \|\| system!\(?\s*["']bundle install["']\)?)$/
        SET_UP = %r{^require ["']bundler/setup["']}
        BOOT = <<~RUBY
          begin
            require "spate/boot" # Boot from compile caches if Spate is installed.
          rescue LoadError
            # Bundler and bootsnap boot the application.
          end

        RUBY

        # An instruction of a Dockerfile that runs `bundle install`, with its continuation lines and their comments. A
        # command that the user has added does not match, because it would be lost.
        BUNDLE_INSTALL = %r{
          ^RUN\ bundle\ install(?:\ &&\ \\\n(?:\ *\#.*\n)*\ *(?:rm\ -rf\ ~/\.bundle|bundle\ exec\ boot)[^&|;\\\n]*)*\n
        }x
        PRECOMPILE = /(?:^# (?:Precompile bootsnap|-j 1) .*\n)*^RUN bundle exec bootsnap precompile\b[^&|;\\\n]*\n\n?/
        BUNDLE_PATH = /^\s*(?:ENV )?BUNDLE_PATH=\S+ \\\n/
        LAST_STAGE = /^(?:COPY\b.*--from=build\b|USER\b).*\n/
        # Thruster's binstub sets up Bundler, after which config/boot.rb would not find Spate.
        THRUSTER = %r{^(CMD \[)("\./bin/thrust")}
        INSTALL = <<~DOCKER
          RUN gem install --no-document spate
          RUN --mount=type=cache,target=/root/.cache/spate spate install --copy --compile-cache off
        DOCKER
        # The boot records the files of Ruby's library, which the second build compiles.
        BUILD = <<~'DOCKER'

          # Compile the application and its gems for faster boots, as the user that boots.
          RUN spate boot build app lib config && \
              SECRET_KEY_BASE_DUMMY=1 spate exec bin/rails runner 1 && \
              spate boot build
        DOCKER

        # A step of a workflow, with the more indented lines below it.
        SET_UP_RUBY = %r{^(?<dash> *)- (?:name: .*\n +)?uses: ruby/setup-ruby@.*\n(?:\k<dash> +.*\n)*}
        CACHED = /^ +bundler-cache: true\n/

        module_function

        # Returns [Change] for the files below root that would change.
        def changes(root)
          found = FILES.filter_map do |path, edit|
            before = text(root, path) or next
            after = public_send(edit, before)
            Change.new(root, path, before, after) unless after == before
          end
          found.last&.path == ".github/workflows/ci.yml" ? [*found, *action(root)] : found
        end

        def boots_with_spate?(root) = text(root, "config/boot.rb").to_s.include?(BOOT)

        # Returns nil also for files that `rails new` does not generate: outside the application, with other line ends,
        # or so long that a diff takes seconds.
        def text(root, path)
          path = File.join(root, path)
          text = Change.read(path) or return
          text unless outside?(root, path) || text.include?("\r") || text.count("\n") > LINES
        end

        # Whether links lead out of the application.
        def outside?(root, path)
          !File.realpath(Util::Files.nearest(path)).start_with?("#{File.realpath(root)}/")
        end

        def bin_setup(text) = text.sub(BUNDLE, '\1system("spate install") || \2')

        def boot(text) = text.include?("spate/boot") ? text : text.sub(SET_UP) { |line| BOOT + line }

        def dockerfile(text)
          stages = text.match?(BUNDLE_INSTALL) && text.match?(BUNDLE_PATH) && text.match?(LAST_STAGE)
          return text unless stages

          head, last, tail = text.rpartition(LAST_STAGE)
          head.sub(BUNDLE_INSTALL, INSTALL).sub(PRECOMPILE, "")
              .sub(BUNDLE_PATH) { |line| "#{line}    SPATE_BOOT_BACKGROUND=\"0\" \\\n" } +
            last + BUILD + tail.sub(THRUSTER, '\1"spate", "exec", \2')
        end

        def workflow(text)
          text.gsub(SET_UP_RUBY) do |step|
            next step if !step.match?(CACHED) || step.include?("working-directory:")

            dash = step[/\A */]
            "#{without_cache(step)}\n#{dash}- name: Install gems\n#{dash}  uses: ./#{File.dirname(ACTION)}\n"
          end
        end

        # The step without `bundler-cache: true`, and without an empty `with:`.
        def without_cache(step) = step.sub(CACHED, "").sub(/^( +)with:\n(?!\1 )/, "")

        def action(root)
          path = File.join(root, ACTION)
          File.exist?(path) || outside?(root, path) ? [] : [Change.new(root, ACTION, nil, Change.read(ACTION_SOURCE))]
        end
      end
    end
  end
end
