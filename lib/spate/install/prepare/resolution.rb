# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Determines the packages of the bundle, from the lockfile if the Gemfile agrees with it. If it disagrees, or
      # there is no lockfile, runs Bundler to resolve.
      class Resolution
        # unfit: full names of packages that are incompatible with this Ruby or RubyGems. resolves: false for a
        # read-only command, which must not write a lockfile.
        def initialize(context, unfit: [], resolves: true)
          @unfit = unfit
          @resolves = resolves
          @context = context
          @location = context.location
          @settings = context.settings
        end

        # Returns a Lockfile. Lets Bundler create a missing one; raises Gemfile::Disagreement if that is not allowed.
        def lockfile
          @lockfile ||= begin
            make unless @location.lockfile?
            read
          end
        end

        # Looks up the Gemfile::Facts, starts Bundler if they are not stored, and returns whether they are known.
        def known?
          return !@facts.nil? if @facts || @evaluation

          known = { store: @context.store, location: @location, settings: @settings }
          @facts = Gemfile::Check.recall(**known, trusts: @context.trusts)
          @evaluation = Inquiry.start(@context, known) unless @facts
          !@facts.nil?
        end

        # One line that describes how Gemfile and lockfile disagree, or nil. Does not resolve.
        def difference
          return "there is no lockfile" unless @location.lockfile?

          lockfile
          facts.difference unless facts.agrees?
        end

        # Waits for the Gemfile::Facts and returns them.
        def facts
          known? ? @facts : @facts = @evaluation.value
        end

        # Whether Bundler wrote the lockfile.
        def written? = @written == true

        # Stops a running evaluation by Bundler.
        def give_up = @evaluation&.cancel

        # Whether fetching gems before the Gemfile has been evaluated is not worthwhile.
        def incomplete? = @lockfile.specs.empty?

        # Returns a Plan. If Gemfile and lockfile disagree, Bundler resolves first.
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

        # Lets Bundler create a missing lockfile. Like Bundler, raises an error if the Ruby does not match the Gemfile.
        def make
          check_ruby if !@settings.frozen? && File.binread(@location.gemfile).match?(/^\s*ruby[\s(]/)
          resolve(["there is no lockfile"])
          @facts = @evaluation = nil
        end

        def check_ruby
          return unless facts.misfit

          raise Specification::WrongRubyError.new(facts.misfit,
                                                  hint: "use a matching Ruby version, or change `ruby` in the Gemfile")
        end

        def resolve_again(differences)
          resolve(differences)
          @resolved = true
          @lockfile = read
          @facts = @evaluation = nil
          facts
        end

        # Adds the credentials of the Gemfile, which a lockfile does not contain.
        def spell
          @context.sources.spell(facts.sources, hidden: facts.hidden) do
            Gemfile::Check.sources(facts, location: @location, settings: @settings,
                                          read_only: @context.options.background)
          end
        end

        def planner
          @available = nil
          Planner.new(lockfile: @lockfile, gemfile: @facts, settings: @settings, available: method(:available),
                      rubygems_version: @context.layout.rubygems.version, unfit: @unfit)
        end

        # Called by the planner if the lockfile does not determine the platform.
        def available(name, source) = (@available ||= AvailableVersions.new(@context, @text)).call(name, source)

        def read
          @text = File.binread(@location.lockfile)
          Lockfile.parse(@text, path: @location.lockfile) { @context.layout.rubygems.version }
        end

        # Raises Gemfile::Disagreement if the bundle is frozen, or for a read-only command.
        def resolve(differences)
          raise Gemfile::Disagreement.new(@location, differences, frozen: false) unless @resolves

          silent = @settings.frozen? || @context.options.resolved # the caller has reported that Bundler resolves
          @context.events.emit(:resolving, reason: differences.join("; ")) unless silent
          warnings = Gemfile::BundleCommand.lock(@location, @settings, difference: differences)
          warnings.each { |message| @context.events.emit(:warning, message: message) }
          @written = true
        end
      end
    end
  end
end
