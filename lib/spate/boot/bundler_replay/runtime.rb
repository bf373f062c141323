# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # Delegates undefined methods to `real`, the corresponding object of the real Bundler.
      module DelegatesToBundler
        # Uses eval to set the caller's file and line, which Bundler prints in deprecation warnings.
        def method_missing(name, *arguments, **options, &block)
          return super unless respond_to_missing?(name)

          caller = caller_locations(1, 1).first
          # rubocop:disable Style/EvalWithLocation
          eval("real.public_send(name, *arguments, **options, &block)", binding, caller.path, caller.lineno)
          # rubocop:enable Style/EvalWithLocation
        end

        def respond_to_missing?(name, include_private = false) = real.respond_to?(name, include_private)
      end

      # A `gem` line of the Gemfile.
      class Dependency
        include DelegatesToBundler

        attr_reader :name, :groups, :autorequire

        def initialize(name, groups, autorequire, counts)
          @name, @groups, @autorequire, @counts = name, groups, autorequire, counts
        end

        def should_include? = @counts

        private

        def real
          @real ||= Real.load.definition.dependencies.find { |dependency| dependency.name == name }
        end
      end

      # The result of Bundler.setup and Bundler.load. Requires the gems of groups. All other calls go to the real
      # Bundler's object.
      class Runtime
        include DelegatesToBundler

        def self.instance = @instance ||= new
        def self.forget = @instance = nil

        def require(*groups)
          groups = groups.empty? ? [:default] : groups.map(&:to_sym)
          chosen = BundlerReplay.current.dependencies.select do |gem|
            gem.groups.intersect?(groups) && gem.should_include?
          end
          chosen.each { |gem| require_gem(gem) }
          newer? ? chosen : BundlerReplay.current.dependencies
        end

        def setup(*) = self

        def is_a?(kind) = super || real.is_a?(kind)
        alias kind_of? is_a?

        private

        def real = Real.load.load

        # Newer Bundler versions wrap the LoadError of a gem that requires a missing file.
        def newer? = !BundlerReplay.current.facts[:requires_formerly]

        # For a gem `a-b` without `require:` in the Gemfile: requires `a-b`, or `a/b` if there is no such file.
        def require_gem(gem)
          Array(gem.autorequire || gem.name).each do |file|
            asked = file = file == true ? gem.name : file
            begin
              Kernel.require asked
            rescue LoadError => e
              known = gem.autorequire.nil? && e.path == asked
              (newer? ? wrap(e, file) : raise) unless known
              next unless asked.include?("-")

              asked = asked.tr("-", "/")
              retry
            rescue RuntimeError => e
              newer? || asked == file ? wrap(e, file) : raise
            end
          end
        end

        def wrap(error, file)
          raise ::Bundler::GemRequireError.new(error, "There was an error while trying to load the gem '#{file}'.")
        end
      end
    end
  end
end
