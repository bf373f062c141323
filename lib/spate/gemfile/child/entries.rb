# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # What a Gemfile or a gemspec may have Bundler and RubyGems do for it. What these look at of their own accord is
      # theirs; asked for anything else they are a way round, so that an answer in which they are is not kept.
      module Entries
        PLACE = /\A(?:Bundler|Gem)(?:::|\z)/
        # Words of the two, and values.
        WHOLE = %w[
          Bundler::Dsl Bundler::RubyDsl Bundler::RubyVersion Bundler::CurrentRuby Gem::Version Gem::Requirement
          Gem::Platform Gem::Dependency
        ].freeze
        SPECIFICATION = Gem::Specification.attribute_names - %i[date] +
                        Gem::Specification.public_instance_methods.grep(/\Aadd_|\w=\z/)
        INSTANCE = {
          "Gem::Specification" => SPECIFICATION + %i[
            initialize author executable license require_path test_file test_files runtime_dependencies
            development_dependencies full_name
          ],
          "Gem::BasicSpecification" => SPECIFICATION + %i[initialize full_name require_paths],
          "Bundler::DepProxy" => %i[name], "Bundler::Settings" => %i[[]]
        }.freeze
        SINGLETON = {
          "Bundler" => %i[
            root default_gemfile default_lockfile settings bundle_path app_config_path app_cache user_home
            user_bundle_path local_platform current_ruby ruby_scope
          ],
          "Gem" => %i[
            ruby_version ruby_api_version ruby_engine rubygems_version win_platform? java_platform? solaris_platform?
            platforms path paths dir default_dir default_path user_dir user_home ruby suffixes
          ]
        }.freeze
        # Tell which gems are installed.
        GEMS = { "Gem::Dependency" => %i[matching_specs to_specs to_spec], "Kernel" => %i[gem] }.freeze

        # Of a method that code of the application's calls: true, false, or :gems where that has it count which gems are
        # installed.
        def self.judge(receiver, owner, name)
          single = owner.singleton_class? && Module === receiver # rubocop:disable Style/CaseEquality -- it may not have is_a?
          place = single ? name_of(receiver, owner) : owner.name
          return :gems if GEMS[place]&.include?(name) || (single && place == "Gem::Specification")

          !place&.match?(PLACE) || WHOLE.include?(place) || (single ? SINGLETON : INSTANCE)[place]&.include?(name)
        end

        # A class has its parent's, too.
        def self.name_of(receiver, owner)
          whose = receiver.ancestors.find { |one| one.singleton_class.equal?(owner) } || receiver
          Module.instance_method(:name).bind_call(whose)
        end
        private_class_method :name_of
      end
    end
  end
end
