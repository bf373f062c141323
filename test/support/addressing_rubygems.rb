# frozen_string_literal: true

require "support/rubygems_release"

# RubyGems 4.1 or newer and its Bundler, which support content addresses: this machine's own, or downloaded.
module AddressingRubygems
  RELEASE = RubygemsRelease.new("4.1")

  module_function

  # nil if they can be used, else the reason why not.
  def missing = own? ? nil : RELEASE.missing

  # Variables for a child process, in addition to its environment.
  def environment = own? ? {} : RELEASE.environment(rubygems: true)

  # Variables for Bundler alone, with this machine's RubyGems.
  def bundler_alone = own? ? {} : RELEASE.environment

  def own? = Gem::Version.new(Gem::VERSION) >= "4.1.0.a"
end
