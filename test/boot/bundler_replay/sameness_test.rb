# frozen_string_literal: true

require_relative "bundle_case"

module Spate
  module Boot
    # A program gets the same results as with the real Bundler.
    class SamenessTest < BundleCase
      SCRIPT = File.expand_path("answers.rb", __dir__)

      def test_all_answers_equal_those_of_the_machines_bundler
        assert_alike(project)
      end

      def test_all_answers_equal_those_of_the_newest_bundler
        home = File.dirname(newest_bundler, 2)
        version = File.basename(newest_bundler).delete_prefix("bundler-")
        locked(version) do
          real = assert_alike(project, GEM_HOME: home)

          assert_equal version, real["state"]["version"]
        end
      end

      def test_an_application_of_this_machine
        skip "installing applications: bin/test --full" unless ENV["SPATE_TEST_FULL"]
        require "support/apps"
        %w[mrsk lobsters].each do |name|
          next unless TestApps.available?(name)

          app = TestProject.new(File.join(folder, name), "", home: File.join(folder, "home"))
          TestApps.copy(name, app.folder)
          app.spate!("install")
          assert_alike(app)
        end
      end

      private

      def assert_alike(app, **extra)
        bytes = make(app, **extra)
        real, ours = [nil, bytes].map { |by| JSON.parse(run_with(by, SCRIPT, app: app, **extra)) }
        real.each_key { |part| assert_part(real[part], ours[part], part) }
        real
      end

      # Compares Hashes key by key, so that a failure shows the difference.
      def assert_part(real, ours, part)
        return assert_equal(real, ours, part) unless real.is_a?(Hash)

        assert_equal real.keys, ours.keys, part
        real.each { |key, value| assert_part(value, ours[key], "#{part} #{key}") }
      end

      def newest_bundler
        Benchmark::Peers.newest_bundler
      rescue RuntimeError => e
        skip "no newer Bundler: #{e.message.lines.first}"
      end

      def locked(version)
        path = project.path("Gemfile.lock")
        before = File.read(path)
        File.write(path, before.sub(/(BUNDLED WITH\n\s+)\S+/) { "#{$1}#{version}" })
        yield
      ensure
        File.write(path, before)
      end
    end
  end
end
