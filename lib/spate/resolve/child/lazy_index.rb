# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Bundler's index of a source, which reads a gem's page when the resolver asks for the gem. Bundler itself reads
      # the pages of all gems that any version of any gem depends on.
      class LazyIndex < Bundler::Index
        # pages: Registry::Index::Pages; roots: names that the bundle asks of this source (Array, may grow).
        def initialize(pages, origin, roots)
          super()
          @pages = pages
          @origin = origin
          @roots = roots
          @overlays = []
          @own = {} # name => Array of specifications; copies share it
          load_on_demand
        end

        def initialize_copy(other)
          super
          @overlays = @overlays.dup
          load_on_demand
        end

        # Whether a gem's page was read.
        def read?(name) = @own.key?(name)

        # Other sources' specifications are merged when a gem is asked for.
        def merge!(other) = overlay(:merge!, other)
        def use(other) = overlay(:use, other)

        # Everything that enumerates gets what Bundler's index has: all gems that the roots may depend on.
        def each(...) = complete && super
        def spec_names = complete && super
        def size = complete && super
        def dependency_names = complete && super

        # Reads the pages of the bundle's gems in parallel, and of what their newest versions depend on.
        def prefetch(names)
          until names.empty?
            texts = @pages.fetch(names)
            names = names.flat_map { |name| newest_dependencies(texts[name].to_s) }.uniq
            names.reject! { |name| texts.key?(name) }
          end
        end

        private

        def load_on_demand
          @specs.default_proc = proc { |_, name| load(name) if name.is_a?(String) }
        end

        def load(name)
          found = own(name).to_h { |spec| [spec.full_name, spec] }
          @overlays.each { |verb, other| found = combine(found, verb, other.search(name)) }
          @specs[name] = found unless found.empty?
        end

        def own(name)
          @own[name] ||= begin
            text = @pages[name]
            text ? Specification.all(name, text, @origin) : []
          end
        end

        def combine(found, verb, specs)
          specs.each_with_object(found) do |spec, all|
            next if verb == :use && all.key?(spec.full_name)

            all[spec.full_name] = spec
          end
        end

        def overlay(verb, other)
          @overlays << [verb, other] if other
          @specs.clear
          self
        end

        def complete
          seen = {}
          names = @roots.dup
          until names.empty?
            @pages.fetch(names)
            names.each { |name| seen[name] = @specs[name] }
            names = names.flat_map { |name| own(name).flat_map { |spec| spec.dependencies.map(&:name) } }.uniq
            names.reject! { |name| seen.key?(name) }
          end
          true
        end

        # Names in the last lines of a page: versions are in the order of their release.
        def newest_dependencies(text)
          lines = text.byteslice(-[text.bytesize, 4096].min..).lines.last(3)
          lists = lines.map { |line| line.split(" ", 2).last.to_s.split("|", 2).first.to_s }
          lists.flat_map { |list| list.scan(/(?:\A|,)([\w.-]+):/).flatten }
        end
      end
    end
  end
end
