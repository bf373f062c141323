# frozen_string_literal: true

require "rbconfig"
require_relative "clients"

# What a few lines of C take for what cannot be avoided: floor/loopback.c.
module Floor
  SOURCE = File.expand_path("../floor/loopback.c", __dir__)

  module_function

  # The sender's CPU seconds a GB, and GB/s. kind: "tcp" or "frames" (of big.bin).
  def measure(folder, kind, megabytes)
    told = Clients.run(program(folder), kind, File.join(folder, "files", "big.bin"), megabytes.to_s).split
    Row::Measured.new(Float(told[0]), Float(told[1]))
  end

  def program(folder)
    File.join(folder, "loopback").tap do |path|
      Clients.run(RbConfig::CONFIG["CC"].split.first, "-O2", "-o", path, SOURCE) unless File.exist?(path)
    end
  end
end
