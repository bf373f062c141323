# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Which packages the bundle is to have: the lockfile, as far as its Gemfile agrees with it. Where it does not, or
      # where there is no lockfile, Bundler resolves; never Spate.
      class Resolution
        # unfit: full names of packages that are known not to fit this Ruby or RubyGems. resolves: false for a command
        # that only looks at the bundle: it never writes a lockfile.
        def initialize(context, unfit: [], resolves: true)
          @unfit = unfit
          @resolves = resolves
          @context = context
          @location = context.location
          @settings = context.settings
        end

        # Lockfile. Bundler makes it where there is none. Raises Gemfile::Disagreement where it must not.
        def lockfile
          @lockfile ||= begin
            make unless @location.lockfile?
            read
          end
        end

        # Whether the Gemfile's facts are known without asking Bundler; begins to ask where they are not.
        def known?
          return !@facts.nil? if @facts || @evaluation

          known = { store: @context.store, location: @location, settings: @settings }
          @facts = Gemfile::Verdict.recall(**known, trusts: @context.trusts)
          @evaluation = Inquiry.start(@context, known) unless @facts
          !@facts.nil?
        end

        # How Gemfile and lockfile disagree, as one line, or nil. Resolves nothing.
        def difference
          return "there is no lockfile" unless @location.lockfile?

          lockfile
          facts.difference unless facts.agrees?
        end

        # Gemfile::Facts, waited for.
        def facts
          known? ? @facts : @facts = @evaluation.value
        end

        # Whether Bundler wrote the lockfile.
        def written? = @written == true

        # Ends what Bundler may still be asked.
        def give_up = @evaluation&.cancel

        # Whether fetching before the Gemfile is known is not worth while.
        def doubtful? = @lockfile.specs.empty?

        # Plan. Where Gemfile and lockfile disagree, Bundler resolves again first.
        def plan
          lockfile
          check_ruby
          resolve_again(facts.differences) unless facts.agrees?
          spell
          planner.plan.tap { @available&.keep }
        rescue Planner::Incomplete => e
          raise if @settings.frozen? || @resolved || !@resolves

          resolve_again([e.message])
          retry
        end

        private

        # A lockfile where there is none; but as with Bundler, none is written for a Ruby that does not fit.
        def make
          check_ruby if !@settings.frozen? && File.binread(@location.gemfile).match?(/^\s*ruby[\s(]/)
          resolve(["there is no lockfile"])
          @facts = @evaluation = nil
        end

        def check_ruby
          return unless facts.misfit

          raise Specification::WrongRubyError.new(facts.misfit,
                                                  hint: "run it with a Ruby that fits, or change `ruby` in the Gemfile")
        end

        def resolve_again(differences)
          resolve(differences)
          @resolved = true
          @lockfile = read
          @facts = @evaluation = nil
          facts
        end

        # A lockfile leaves out the credentials that the Gemfile may have.
        def spell
          @context.sources.spell(facts.sources, hidden: facts.hidden) do
            Gemfile::Verdict.sources(facts, location: @location, settings: @settings,
                                            read_only: @context.options.background)
          end
        end

        def planner
          @available = nil
          Planner.new(lockfile: @lockfile, gemfile: @facts, settings: @settings, available: method(:available),
                      rubygems_version: @context.layout.rubygems.version, unfit: @unfit)
        end

        # Asked only where the lockfile leaves the platform open.
        def available(name, source) = (@available ||= AvailableVersions.new(@context, @text)).call(name, source)

        def read
          @text = File.binread(@location.lockfile)
          Lockfile.parse(@text, path: @location.lockfile) { @context.layout.rubygems.version }
        end

        # Raises Gemfile::Disagreement where the bundle is frozen, or for a command that only looks.
        def resolve(differences)
          raise Gemfile::Disagreement.new(@location, differences, frozen: false) unless @resolves

          silent = @settings.frozen? || @context.options.resolved # the caller has reported that Bundler resolves
          @context.events.emit(:resolving, reason: differences.join("; ")) unless silent
          Gemfile::BundleCommand.lock(@location, @settings, difference: differences)
          @written = true
        end
      end
    end
  end
end
