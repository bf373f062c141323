# frozen_string_literal: true

require "support/rubygems_release"

# RubyGems 4.1 or newer and its Bundler, which support content addresses: the machine's own, or fetched.
module AddressingRubygems
  RELEASE = RubygemsRelease.new("4.1")

  module_function

  # nil if they can be used, else the reason.
  def missing = own? ? nil : RELEASE.missing

  # Variables that a child process needs besides its own environment.
  def environment = own? ? {} : RELEASE.environment(rubygems: true)

  # Bundler alone, for the machine's own RubyGems.
  def bundler_alone = own? ? {} : RELEASE.environment

  def own? = Gem::Version.new(Gem::VERSION) >= "4.1.0.a"
end
