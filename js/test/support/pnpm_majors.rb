# frozen_string_literal: true

require "support/npm_tools"

# The newest pnpm of each major that Spate supports. Spate leaves 11.27 and later 11.x to pnpm.
module PnpmMajors
  VERSIONS = { 10 => "10", 11 => "~11.26.0", 12 => "12" }.freeze

  module_function

  # Yields each major and a PATH that begins with the folder of its pnpm. Raises RuntimeError.
  def each
    VERSIONS.each do |major, version|
      yield major, "#{File.dirname(NpmTools.pinned("pnpm", version))}:#{ENV.fetch("PATH")}"
    end
  end
end
