# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Replaces Bundler's index of a source. Reads a gem's page when the resolver needs the gem. Bundler would read the
      # pages of all gems on which any version of any gem depends.
      class LazyIndex < Bundler::Index
        # pages: Registry::Index::Pages. roots: names of the gems that the bundle needs from this source (Array, may
        # grow).
        def initialize(pages, origin, roots)
          super()
          @pages = pages
          @origin = origin
          @roots = roots
          @overlays = []
          @own = {} # name => [Specification], shared with copies of this index
          load_on_demand
        end

        def initialize_copy(other)
          super
          @overlays = @overlays.dup
          load_on_demand
        end

        # Whether a gem's page was read.
        def read?(name) = @own.key?(name)

        # Specifications of other sources are merged when a gem is read.
        def merge!(other) = overlay(:merge!, other)
        def use(other) = overlay(:use, other)

        # Methods that enumerate first read everything that Bundler's index would contain: all gems on which the roots
        # may depend.
        def each(...) = complete && super
        def spec_names = complete && super
        def size = complete && super
        def dependency_names = complete && super

        # Reads the pages of the bundle's gems and of their newest versions' dependencies in parallel.
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
          date(found.each_value) if @overlays.any?
          @specs[name] = found unless found.empty?
        end

        # Installed gems get the date of publication from the index, where Bundler has cooldowns.
        def date(specs)
          undated = specs.select { |spec| spec.respond_to?(:created_at=) && spec.created_at.nil? }
          undated.each do |spec|
            same = own(spec.name).reverse.find { |one| one.version == spec.version && one.created_at } or next
            spec.created_at = same.created_at
            spec.remote ||= same.remote
          end
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

        # Names of the dependencies in the last lines of a page, which has its versions in the order of their release.
        def newest_dependencies(text)
          lines = text.byteslice(-[text.bytesize, 4096].min..).lines.last(3)
          lists = lines.map { |line| line.split(" ", 2).last.to_s.split("|", 2).first.to_s }
          lists.flat_map { |list| list.scan(/(?:\A|,)([\w.-]+):/).flatten }
        end
      end
    end
  end
end
