# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

# Runs `gem build` and fails on warnings, like `--strict`, but accepts the warning about a missing homepage. The gems
# have no homepage yet. When they have one, use `--strict` instead. The same commit gives the same bytes, with the same
# version of RubyGems and the same umask.
class StrictBuild
  # The second pattern is a line with a link to help.
  ACCEPTED = /\AWARNING:\s+(?:no homepage specified|See \S+ for help)$/

  # RubyGems printed warnings, which are the message.
  class Refused < StandardError; end

  # The commit's time in seconds, for the gem's date and the files in its archives. Without git, RubyGems 4's default.
  def self.time(checkout)
    said, status = Open3.capture2("git", "log", "-1", "--format=%ct", chdir: checkout, err: File::NULL)
    status.success? ? said.strip : "315619200"
  rescue Errno::ENOENT
    "315619200"
  end

  # gemspec: path of the gemspec. folder: target folder of the gem.
  def initialize(gemspec, folder, time: StrictBuild.time(File.dirname(gemspec)))
    @gemspec = File.expand_path(gemspec)
    @folder = File.expand_path(folder)
    @time = time
  end

  # Returns the gem's path. If it raises Refused, the gem is removed.
  def call(version)
    FileUtils.mkdir_p(@folder)
    path = File.join(@folder, "#{File.basename(@gemspec, ".gemspec")}-#{version}.gem")
    output, status = Open3.capture2e({ "SOURCE_DATE_EPOCH" => @time }, RbConfig.ruby, "-S", "gem", "build",
                                     File.basename(@gemspec), "--output", path, chdir: File.dirname(@gemspec))
    warnings = output.lines(chomp: true).grep(/\AWARNING:/).grep_v(ACCEPTED)
    return path if status.success? && warnings.empty?

    FileUtils.rm_f(path)
    raise Refused, "#{@gemspec}: #{warnings.empty? ? output : warnings.join("; ")}"
  end
end
