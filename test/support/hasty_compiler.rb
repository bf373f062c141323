# frozen_string_literal: true

require "fileutils"
require "rbconfig"

# The compiler of this Ruby, told to take no pains: for what needs C and no fast code, in a third of the time.
module HastyCompiler
  # A PATH on which it comes first. folder: made, for it alone.
  def self.path(folder)
    name = RbConfig::CONFIG["CC"].split.first
    real = ENV.fetch("PATH").split(":").map { |place| File.join(place, name) }.find { |path| File.executable?(path) }
    return ENV.fetch("PATH") unless real

    FileUtils.mkdir_p(folder)
    File.write("#{folder}/#{name}", "#!/bin/sh\nexec #{real} \"$@\" -O0 -g0 -w\n", perm: 0o755)
    "#{folder}:#{ENV.fetch("PATH")}"
  end
end
