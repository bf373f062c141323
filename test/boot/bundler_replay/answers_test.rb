# frozen_string_literal: true

require_relative "bundle_case"

module Spate
  module Boot
    # Programs that call Bundler and RubyGems. The output must be the same with the real Bundler and the Bundler replay.
    class AnswersTest < BundleCase
      REAL = "puts Bundler.singleton_methods(false).include?(:definition)\n"

      def test_requiring_the_default_group
        script = <<~RUBY
          Bundler.require
          p $LOADED_FEATURES.grep(%r{/app/}).map { |path| File.basename(path) }, $special, defined?(Silent), defined?(Hammer)
        RUBY
        real = assert_same_output(script)

        assert_includes real, "parts.rb"
        assert_includes real, "[1, 2]"
      end

      def test_requiring_groups
        assert_includes assert_same_output("Bundler.require(:tools); p defined?(Hammer), defined?(Plain)"), "nil"
        assert_same_output("Bundler.require('default', :tools); p Hammer::VERSION, Plain::VERSION")
        assert_same_output("Bundler.setup(:default, :tools).require(:tools); p Hammer::VERSION")
      end

      def test_a_gem_that_raises_while_it_is_required
        with_broken("raise 'broken'") { assert_broken("Bundler::GemRequireError") }
      end

      def test_gem_that_requires_a_missing_file
        with_broken("require 'no/such/thing'") { assert_broken("no/such/thing") }
      end

      def test_a_missing_feature_fails_at_once_without_rubygems
        script = <<~RUBY
          begin
            require "no/such/feature"
          rescue LoadError => e
            p e.message, e.path
          end
          p Gem.try_activate("no/such/feature"), Gem::Specification.find_by_path("plain")&.name
        RUBY
        assert_includes assert_same_output(script), "cannot load such file"
      end

      def test_real_bundler_is_loaded_only_when_needed
        script = "Bundler.require; Bundler.root; require 'bundler/definition'; Bundler.with_unbundled_env { }; " \
                 "Gem.loaded_specs['plain'].metadata; " \
                 "Gem::Specification.map(&:name); Gem.bin_path('plain', 'plain'); Bundler::GemNotFound; " \
                 "Bundler::VERSION; require 'bundler/setup'; require 'bundler'; Bundler.load; #{REAL}"

        assert_equal "false\n", run_with(record, "-e", script)
        assert_equal "true\n", run_with(record, "-e", "Bundler.definition; #{REAL}")
      end

      def test_deprecation_names_the_file_that_calls_bundler
        script = write("deprecated.rb", <<~RUBY)
          $stderr = $stdout
          def ask = Bundler.environment
          ask rescue p $!
        RUBY
        real, ours = [nil, record].map { |bytes| run_with(bytes, script) }

        assert_includes real, "(called at #{script}:2)"
        assert_equal real, ours
      end

      def test_source_location_of_require_is_that_under_bundler
        names = %i[require load require_relative]
        assert_same_output("p #{names}.map { |name| Kernel.instance_method(name).source_location }")
      end

      def test_objects_of_the_program_stay_when_the_real_bundler_is_loaded
        script = <<~RUBY
          spec = Gem.loaded_specs["plain"]
          $LOAD_PATH.unshift "/mine"
          ENV["MINE"] = "1"
          ENV.delete("BUNDLER_ORIG_PATH")
          before = [$LOAD_PATH.dup, ENV.to_h, Kernel.instance_method(:require), Bundler.original_env]
          Gem.loaded_specs.each_value(&:summary)
          Bundler.definition.specs
          after = [$LOAD_PATH.dup, ENV.to_h, Kernel.instance_method(:require), Bundler.original_env]
          p before.zip(after).map { |pair| pair.uniq.size }, spec == Gem.loaded_specs["plain"].to_spec, spec.is_a?(Gem::Specification)
          p Gem::Specification === spec, spec.class, spec.files, spec.source.class, Bundler.setup.equal?(Bundler.load)
          p Bundler.original_env.key?("MINE")
        RUBY
        output = run_with(record, "-e", script)

        assert_equal "[1, 1, 1, 1]\ntrue\ntrue\ntrue\nGem::Specification\n", output.lines.first(5).join
        assert_match(/Bundler::Source::Rubygems\ntrue\nfalse\n\z/, output)
      end

      def test_gemfile_that_became_unreadable
        path = project.path("Gemfile")
        script = <<~RUBY
          text = File.read(#{path.dump})
          File.write(#{path.dump}, "raise 'gone'")
          begin
            Bundler.definition
          rescue StandardError => e
            p e.class
          end
          File.write(#{path.dump}, text)
          p gem("plain"), Gem.loaded_specs["plain"].full_gem_path, Bundler.definition.specs.to_a.size
        RUBY
        assert_match(/\ABundler::Dsl::DSLError\ntrue\n.*plain-1.0"\n\d+\n\z/, run_with(record, "-e", script))
      end

      def test_children_find_the_bundle
        script = "puts `ruby -e 'puts Gem.loaded_specs.keys.sort, $LOAD_PATH, ENV.to_a.sort.inspect'`; " \
                 "puts Bundler.with_unbundled_env { `ruby -e 'p defined?(Bundler), ENV.to_a.sort'` }"
        assert_same_output(script)
      end

      def test_other_parts_of_bundler
        ["require 'bundler/inline'; p method(:gemfile).owner",
         "require 'bundler/version'; p Bundler::VERSION", "p defined?(Bundler::Definition), Bundler::Definition",
         "p Bundler.respond_to?(:settings), Bundler.respond_to?(:no_such)", "p Bundler.const_defined?(:LockfileParser)",
         "p Bundler::LockfileParser.new(File.read('Gemfile.lock')).specs.map(&:full_name)",
         "p Bundler.rubygems.find_name('plain').map(&:version)", "p Bundler.settings.all",
         "p Pathname('/x') + 'y', Bundler.root + 'z'",
         "p Bundler::Runtime === Bundler.load, Bundler.load.is_a?(Bundler::Runtime)",
         "Gem.refresh; p Gem::Specification.map(&:name).sort", "Gem.clear_paths; p Gem.path, Gem.dir"].each do |script|
          assert_same_output(script)
        end
      end

      def test_a_program_of_the_bundle
        bytes = record
        script = "load Gem.activate_bin_path('plain', 'plain', '>= 0')"

        assert_equal run_with(nil, "-e", script), run_with(bytes, "-e", script)
        assert_equal run_with(nil, "-S", "bundle", "exec", "plain"), run_with(bytes, "-S", "bundle", "exec", "plain")
      end

      def test_another_version_that_is_active_already
        other = "Gem::Specification.new('plain', '0.5').then { |spec| Gem.loaded_specs['plain'] = spec }; "
        path = write("bytes", record)
        library = File.expand_path("../../../lib", __dir__)
        script = "#{other} %w[native/boot boot/entry].each { |file| require \"#{library}/spate/\#{file}\" }; " \
                 "before = $LOAD_PATH.dup; record = Spate::Boot::BundlerReplay && " \
                 "Spate::Gemfile::Setup::Record.new(File.binread(#{path.dump})); " \
                 "p Spate::Boot::BundlerReplay.activate(record), " \
                 "$LOAD_PATH == before, defined?(Bundler)"

        assert_match(/\A"plain 0.5 is active, not 1.0"\ntrue\nnil\n\z/, project.run!("ruby", "-e", script))
      end

      private

      def with_broken(line)
        file = "#{project.bundle_root}/gems/plain-1.0/lib/plain.rb"
        before = File.read(file)
        File.write(file, line)
        yield
      ensure
        File.write(file, before)
      end

      # Compares class, message and cause of the error.
      def assert_broken(expected)
        script = <<~RUBY
          begin
            Bundler.require
          rescue Exception => e
            p e.class, e.message[/.*?(?=Backtrace|\\z)/m], e.cause&.message
          end
        RUBY
        assert_includes assert_same_output(script), expected
      end
    end
  end
end
