# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

# `gem build --strict`, except that it accepts one warning: a homepage is missing, and an invented address would be
# wrong. Once there is one, `--strict` itself will do.
class StrictBuild
  # The last line only names a page that explains the others.
  ACCEPTED = /\AWARNING:\s+(?:no homepage specified|See \S+ for help)$/

  # RubyGems' warnings.
  class Refused < StandardError; end

  # gemspec: its path. folder: where the gem goes.
  def initialize(gemspec, folder)
    @gemspec = File.expand_path(gemspec)
    @folder = File.expand_path(folder)
  end

  # Answers the gem's path. Raises Refused, and leaves no gem.
  def call(version)
    FileUtils.mkdir_p(@folder)
    path = File.join(@folder, "#{File.basename(@gemspec, ".gemspec")}-#{version}.gem")
    output, status = Open3.capture2e(RbConfig.ruby, "-S", "gem", "build", File.basename(@gemspec), "--output", path,
                                     chdir: File.dirname(@gemspec))
    warnings = output.lines(chomp: true).grep(/\AWARNING:/).grep_v(ACCEPTED)
    return path if status.success? && warnings.empty?

    FileUtils.rm_f(path)
    raise Refused, "#{@gemspec}: #{warnings.empty? ? output : warnings.join("; ")}"
  end
end
