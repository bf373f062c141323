# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # What Bundler.setup and Bundler.load answer: requires the gems of groups, and has the real one for the rest.
      class Runtime
        def self.instance = @instance ||= new
        def self.forget = @instance = nil

        def require(*groups)
          groups = groups.empty? ? [:default] : groups.map(&:to_sym)
          chosen = Standin.current.dependencies.select { |gem| gem.groups.intersect?(groups) && gem.should_include? }
          newer = newer?
          chosen.each { |gem| newer ? require_gem(gem) : require_gem_formerly(gem) }
          newer ? chosen : Standin.current.dependencies
        end

        def setup(*) = self

        def method_missing(name, ...)
          respond_to_missing?(name) ? real.public_send(name, ...) : super
        end

        def respond_to_missing?(name, include_private = false)
          real.respond_to?(name, include_private)
        end

        def is_a?(kind) = super || real.is_a?(kind)
        alias kind_of? is_a?

        private

        def real = Real.load.load

        # Newer Bundlers wrap the error of a gem that asks for something missing.
        def newer? = !Standin.current.facts[:requires_formerly]

        def files(gem)
          Array(gem.autorequire || gem.name).map { |file| file == true ? gem.name : file }
        end

        def require_gem(gem)
          files(gem).each do |file|
            asked = file
            begin
              Kernel.require asked
            rescue LoadError => e
              wrap(e, file) unless gem.autorequire.nil? && e.path == asked
              next unless asked.include?("-")

              asked = asked.tr("-", "/")
              retry
            rescue RuntimeError => e
              wrap(e, file)
            end
          end
        end

        def require_gem_formerly(gem)
          asked = nil
          files(gem).each do |file|
            asked = file
            begin
              Kernel.require file
            rescue RuntimeError => e
              wrap(e, file)
            end
          end
        rescue LoadError => e
          raise if gem.autorequire || e.path != asked

          require_as_folders(gem.name) if gem.name.include?("-")
        end

        # `a-b` is in a/b.rb.
        def require_as_folders(name)
          path = name.tr("-", "/")
          Kernel.require path
        rescue LoadError => e
          raise if e.path != path
        end

        def wrap(error, file)
          raise ::Bundler::GemRequireError.new(error, "There was an error while trying to load the gem '#{file}'.")
        end
      end
    end
  end
end
