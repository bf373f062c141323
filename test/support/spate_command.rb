# frozen_string_literal: true

require "tmpdir"

module Spate
  # How tests start `spate`: as the launcher in Ruby does; with SPATE_TEST_FRONT=1 by the front end of `spate setup`.
  module SpateCommand
    ROOT = File.expand_path("../..", __dir__)
    RUBY = ["ruby", "--disable-gems", "-I#{ROOT}/lib", "#{ROOT}/exe/spate"].freeze
    # Commands that the front end may answer, and their outputs if it does.
    ANSWERED = %w[install i check version -v --version].freeze
    OUTPUTS = [/[\d,]+ gems? in place, nothing to do \(.*\)\n/, /the bundle is complete: .*\n/, /spate \d.*\n/, //,
               /{"event":"(?:checked|version)".*\n/,
               /{"event":"plan".*\n{"event":"done".*"edits":\[\],"warnings":\[\],"noop":true}\n/].freeze
    ANSWER = /\A#{Regexp.union(OUTPUTS)}\z/
    # What differs between two runs that do the same.
    TIMES = /\((?:\d+\.\d+ s|\d+:\d\d min)\)|"seconds":[\d.]+,"peak_memory":\d+/

    class << self
      def words = ENV["SPATE_TEST_FRONT"] == "1" ? [front] : RUBY

      # Repeats a command that the front end may have answered by the launcher in Ruby. The block runs it, and returns
      # [output, status].
      def verify(arguments, output, status)
        return if words == RUBY || !ANSWERED.include?(arguments.first) || !output.match?(ANSWER)

        expected, expected_status = yield RUBY
        return if [expected.gsub(TIMES, ""), expected_status] == [output.gsub(TIMES, ""), status]

        raise "spate #{arguments.join(" ")}: the front end differs from Ruby\n" \
              "front: #{status}\n#{output}\nRuby: #{expected_status}\n#{expected}"
      end

      private

      def front
        @front ||= begin
          folder = Dir.mktmpdir("spate-front-")
          at_exit { FileUtils.rm_rf(folder) }
          system({ "RUBYOPT" => nil }, *RUBY, "setup", "--dir", folder, %i[out err] => File::NULL, exception: true)
          raise "the front end is not compiled" unless File.exist?("#{folder}/spate-ruby")

          "#{folder}/spate"
        end
      end
    end
  end
end
