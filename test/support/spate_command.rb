# frozen_string_literal: true

require "tmpdir"

module Spate
  # How tests start `spate`: like the Ruby launcher, or with SPATE_TEST_FRONT=1 through the front end of `spate setup`.
  module SpateCommand
    ROOT = File.expand_path("../..", __dir__)
    RUBY = ["ruby", "--disable-gems", "-I#{ROOT}/lib", "#{ROOT}/exe/spate"].freeze
    # Commands that the front end may run without Ruby, and the possible outputs in that case.
    ANSWERED = %w[install i check version -v --version].freeze
    OUTPUTS = [/[\d,]+ gems? in place, nothing to do \(.*\)\n/, /the bundle is complete: .*\n/, /spate \d.*\n/, //,
               /{"event":"(?:checked|version)".*\n/,
               /{"event":"plan".*\n{"event":"done".*"edits":\[\],"warnings":\[\],"noop":true}\n/].freeze
    ANSWER = /\A#{Regexp.union(OUTPUTS)}\z/
    # Parts of the output that differ between two equal runs.
    TIMES = /\((?:\d+\.\d+ s|\d+:\d\d min)\)|"seconds":[\d.]+,"peak_memory":\d+/

    class << self
      def words = ENV["SPATE_TEST_FRONT"] == "1" ? [front] : RUBY

      # If the front end may have run the command without Ruby, runs it again with the Ruby launcher and compares. The
      # block runs a command, and returns [output, status].
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
