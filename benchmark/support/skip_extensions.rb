# frozen_string_literal: true

# Loaded by RUBYOPT into a peer, to measure its extraction without the building of native extensions.
require "rubygems/ext"

module SkipExtensions
  def build_extensions; end
end
Gem::Ext::Builder.prepend(SkipExtensions)
