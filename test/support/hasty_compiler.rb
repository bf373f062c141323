# frozen_string_literal: true

require "fileutils"
require "rbconfig"

# The compilers of this Ruby without optimization, for tests that need C but no fast code, in a third of the time.
module HastyCompiler
  # A PATH with them in front. folder: created for them.
  def self.path(folder)
    places = ENV.fetch("PATH").split(":")
    FileUtils.mkdir_p(folder)
    RbConfig::CONFIG.values_at("CC", "CXX").each do |command|
      name = command.split.first
      real = places.map { |place| File.join(place, name) }.find { |path| File.executable?(path) } or next
      File.write("#{folder}/#{name}", "#!/bin/sh\nexec #{real} \"$@\" -O0 -g0 -w\n", perm: 0o755)
    end
    [folder, *places].join(":")
  end
end
