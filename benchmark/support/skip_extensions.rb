# frozen_string_literal: true

# Loaded through RUBYOPT into a peer to tell its extraction apart from the building of native extensions.
require "rubygems/ext"

module SkipExtensions
  def build_extensions; end
end
Gem::Ext::Builder.prepend(SkipExtensions)
