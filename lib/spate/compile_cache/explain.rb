# frozen_string_literal: true

module Spate
  module CompileCache
    # Explains where an application's own boot would find a feature or file: runs a child that boots the application up
    # to the point where its program would start.
    class Explain
      autoload :Failed, "#{__dir__}/explain/failed.rb"

      SCRIPT = "#{__dir__}/explain/script.rb".freeze

      # location: responds to root and gemfile.
      def initialize(location, env: ENV)
        @location = location
        @env = Util::Environment.clean(env).except("SPATE_LOG")
      end

      # [Hash], one per feature: see explain/answer.rb. Raises Failed.
      def call(features)
        require "tmpdir"
        Dir.mktmpdir("spate-explain-") do |folder|
          log = "#{folder}/log"
          ask(features, log) || raise(Failed, File.readlines(log, chomp: true).last(10))
        end
      end

      private

      def ask(features, log)
        require_relative "../tracer"
        Tracer::ReadOnly.run(environment, "--disable-gems", "-r#{children::FILE}", SCRIPT, *features,
                             %i[out err] => log, &:value)
      end

      def children = Boot::Exec::Children

      # The environment that `spate exec` gives a Ruby, except that this boot writes nothing.
      def environment
        @env.merge("SPATE_READONLY" => "1", "SPATE_HEAP" => "0", children::RUBY => children.ruby,
                   "BUNDLE_GEMFILE" => @location.gemfile)
      end
    end
  end
end
