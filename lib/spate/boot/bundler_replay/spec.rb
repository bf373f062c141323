# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # A Gem::Specification with only the attributes that running programs need. Any other call loads the rest first,
      # from the gemspec or, for path and git sources, from Bundler.
      class Spec < ::Gem::Specification
        # Methods that need only these attributes. All others load the rest first.
        KNOWN = %i[
          name version full_name full_gem_path gem_dir loaded_from loaded_from= base_dir gems_dir spec_dir spec_file
          spec_name file_name cache_dir cache_file build_info_dir build_info_file doc_dir ri_dir activated activated=
          activated? raw_require_paths require_paths require_path full_require_paths lib_dirs_glob extension_dir
          extensions extensions_dir gem_build_complete_path missing_extensions? default_gem? platform name_tuple
          sort_obj <=> == eql? hash to_spec to_s stubbed? this to_fullpath matches_for_glob plugins datadir
          source_paths satisfies_requirement? contains_requirable_file? respond_to_missing? method_missing
          internal_init lib_files check_version_conflict raise_if_conflicts activate add_self_to_load_path
          installable_on_platform? match_platform runtime_dependencies development_dependencies
          base_dir= extension_dir= full_gem_path= ignored? bin_file bin_dir executable removed_method_calls
        ].freeze
        # Attributes in the second part of the record, which is read on first use.
        RARELY_USED = %i[bindir executables dependencies metadata original_platform].freeze

        # fields: see Gemfile::Child::SpecFacts.of; more: a callable that returns the fields of SpecFacts.more.
        def self.of(fields, more) = allocate.tap { |spec| spec.send(:set_fields, fields, more) }

        # For `instance_of?` and `==`.
        def class = ::Gem::Specification

        # Bundler's specs are stubs with the dependencies from the lockfile. Their to_spec has the dependencies from the
        # gemspec.
        def to_spec
          @to_spec ||= Spec.of(@spate_fields, @spate_rare_fields).tap do |spec|
            spec.activated = activated
            spec.instance_variable_set(:@to_spec, spec)
          end
        end

        # Bundler's alias of full_require_paths.
        def load_paths = full_require_paths

        def inspect = "#<#{self.class.name} name=#{@name} version=#{@version}>"

        # The Bundler::Source of the gem. Loads the real Bundler.
        def source
          return super if Real.loaded? && !Real.complete?

          @source || real.source
        end

        def activated? = @activated
        def default_gem? = @spate_default

        # Whether FEATURE is a file below one of the gem's folders on the load path.
        def contains_requirable_file?(feature)
          return false if missing_extensions?

          full_require_paths.any? do |folder|
            ::Gem.suffixes.any? { |suffix| ::File.file?("#{folder}/#{feature}#{suffix}") }
          end
        end

        def missing_extensions?
          return false if @extensions.empty? || @spate_default || @spate_kind != :gem

          !::File.exist?(gem_build_complete_path)
        end

        (::Gem::Specification.public_instance_methods(false) +
          ::Gem::BasicSpecification.public_instance_methods(false) - KNOWN - RARELY_USED -
          public_instance_methods(false)).uniq.each do |name|
          define_method(name) do |*arguments, **options, &block|
            evaluate!
            super(*arguments, **options, &block)
          end
        end

        RARELY_USED.each do |name|
          define_method(name) do
            load_rare_fields unless @spate_rare_fields_loaded
            super()
          end
        end

        # Methods that Bundler adds to specifications.
        def method_missing(name, *arguments, **options, &block)
          return super unless respond_to_missing?(name)

          real.public_send(name, *arguments, **options, &block)
        end

        def respond_to_missing?(name, _private = false)
          (BUNDLERS.include?(name) && !::Gem::Specification.method_defined?(name)) || false
        end

        BUNDLERS = %i[git_version groups remote remote= relative_loaded_from relative_loaded_from= location location=
                      source= to_gemfile nondevelopment_dependencies stub rg_full_gem_path rg_loaded_from
                      rg_extension_dir deleted_gem? ignored manually_installed?].freeze
        private_constant :BUNDLERS

        private

        def set_fields(fields, more)
          @name, version, @platform, @loaded_from, @full_gem_path, @require_paths, @full_require_paths, @extension_dir,
            @extensions, @spate_kind, @spate_default = @spate_fields = fields
          @gem_dir = @full_gem_path
          @version = ::Gem::Version.new(version)
          @new_platform = @platform == "ruby" ? @platform : ::Gem::Platform.new(@platform)
          @activated = @spate_rare_fields_loaded = @spate_evaluated = @to_spec = nil
          @spate_rare_fields = more
        end

        def load_rare_fields
          @spate_rare_fields_loaded = true
          @bindir, @executables, @original_platform, dependencies, @metadata, locked =
            @spate_rare_fields.call(@spate_fields)
          @dependencies = ((locked unless equal?(@to_spec)) || dependencies).map do |name, type, wanted, prerelease|
            ::Gem::Dependency.new(name, wanted, type).tap { |found| found.prerelease = true if prerelease }
          end
        end

        # Copies the remaining attributes from the evaluated specification.
        def evaluate!
          return if @spate_evaluated

          load_rare_fields unless @spate_rare_fields_loaded
          @spate_evaluated = true
          full = evaluated
          (full.instance_variables - instance_variables).each do |name|
            instance_variable_set(name, full.instance_variable_get(name))
          end
        rescue ::StandardError, ::ScriptError
          @spate_evaluated = false
          raise
        end

        def evaluated
          full = ::Gem::Specification.load(@loaded_from) if @spate_kind == :gem && @loaded_from
          full || real.then { |spec| spec.is_a?(::Gem::Specification) ? spec : spec.send(:_remote_specification) }
        end

        # The real Bundler's specification of this gem.
        def real
          Real.load.definition.specs.to_a.find { |spec| spec.name == @name } || ::Gem::Specification.load(@loaded_from)
        end
      end
    end
  end
end
