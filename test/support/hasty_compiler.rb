# frozen_string_literal: true

require "fileutils"
require "rbconfig"

# This Ruby's compilers without optimization, for tests that need C, but no fast code. They need a third of the time.
module HastyCompiler
  # A PATH that begins with these compilers. folder: created for them.
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
