# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Bundler 4.0.13 and later leave out versions that were published in the last days: by `--cooldown`, the setting
      # `cooldown`, or `source "...", cooldown: 7`. They look at the date of each version, which is only parsed here if
      # there is a cooldown.
      module Cooldown
        SINCE = "4.0.13"

        # Whether this Bundler has cooldowns.
        def self.known? = Bundler::Source::Rubygems::Remote.method_defined?(:effective_cooldown)

        def self.install
          return Dsl.warn_if_ignored unless known?

          Bundler::Resolver.prepend(Resolver)
          Bundler::Source::Rubygems.prepend(Rubygems)
        end

        # Prepended to Bundler::Resolver.
        module Resolver
          private

          def cooldown_excluded?(spec)
            remote = spec.remote if spec.respond_to?(:remote)
            days = (@spate_cooldowns ||= {}.compare_by_identity)
            days[remote] = remote.effective_cooldown.to_i if remote && !days.key?(remote)
            days.fetch(remote, 0).positive? && super
          end
        end

        # Prepended to Bundler::Source::Rubygems, which would read all pages. LazyIndex dates installed gems.
        module Rubygems
          private

          def collect_remote_created_at(index) = index.is_a?(LazyIndex) ? {} : super
        end

        # An older Bundler ignores the setting and the option of a source.
        module Dsl
          def self.warn_if_ignored
            Bundler::Dsl.prepend(self)
            warn_once("the setting `cooldown`") if Bundler.settings[:cooldown]
          end

          def self.warn_once(what)
            return if @warned

            @warned = true
            Bundler.ui.warn "warning: Bundler #{Bundler::VERSION} ignores #{what}; Bundler #{SINCE} and later have it"
          end

          def source(*arguments, **options)
            Dsl.warn_once("`cooldown:` of the Gemfile's sources") if options.key?(:cooldown)
            super
          end
        end
      end
    end
  end
end
