# frozen_string_literal: true

require "support/npm_tools"

# The newest pnpm of each major whose rules Spate has. 11.27 and later of that major Spate leaves to pnpm.
module PnpmMajors
  VERSIONS = { 10 => "10", 11 => "~11.26.0", 12 => "12" }.freeze

  module_function

  # Yields each major and a PATH on which its pnpm comes first. Raises RuntimeError.
  def each
    VERSIONS.each do |major, version|
      yield major, "#{File.dirname(NpmTools.pinned("pnpm", version))}:#{ENV.fetch("PATH")}"
    end
  end
end
