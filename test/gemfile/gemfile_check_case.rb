# frozen_string_literal: true

require "test_helper"

module Spate
  module Gemfile
    # An application without gems, and its Gemfile check.
    class GemfileCheckCase < Minitest::Test
      LOCK = "GEM\n  specs:\n\nPLATFORMS\n  ruby\n  x86_64-linux\n\nDEPENDENCIES\n\nBUNDLED WITH\n   2.3.0\n"

      def setup
        super
        skip Tracer.available? unless Tracer.available? == true
        @env = ENV.to_h.reject { |key, _| key.start_with?("BUNDLE") }.merge("HOME" => folder)
        @store = Store.open(home: File.join(folder, "spate"))
      end

      private

      def app(lines, lockfile: LOCK)
        write("app/Gemfile", lines)
        write("app/Gemfile.lock", lockfile)
        @location = Gemfile.find(File.join(folder, "app"), @env)
      end

      def path(name) = File.join(folder, "app", name)
      def settings = Settings.load(root: @location.root, env: @env)
      def evaluate = Check.evaluate(location: @location, settings: settings, store: @store)
      def recall = Check.recall(location: @location, settings: settings, store: @store)

      def git(*words)
        words = ["-c", "user.name=tester", "-c", "user.email=tester@localhost", *words]
        system("git", *words, chdir: path("."), exception: true, out: File::NULL)
      end

      def commit
        git("init", "--quiet") unless File.exist?(path(".git"))
        git("commit", "--quiet", "--allow-empty", "--message", "more")
      end
    end
  end
end
