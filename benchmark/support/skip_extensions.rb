# frozen_string_literal: true

# Loaded into another tool through RUBYOPT, to measure its extraction without native builds.
require "rubygems/ext"

module SkipExtensions
  def build_extensions; end
end
Gem::Ext::Builder.prepend(SkipExtensions)
