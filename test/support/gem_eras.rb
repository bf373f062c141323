# frozen_string_literal: true

require "support/hostile_archives"

# Metadata in the formats of all RubyGems versions and their YAML writers (Syck up to 2011, Psych, both patched by
# RubyGems), each with a separate name and version 1.0. Also contains readable texts that no version has written. The
# installed RubyGems decides whether a text is valid.
module GemEras
  autoload :Mutants, "support/gem_eras/mutants"
  autoload :Odd, "support/gem_eras/odd"
  autoload :Whole, "support/gem_eras/whole"

  FILES = { "lib/a.rb" => "A = 1\n", "bin/run" => "#!/usr/bin/ruby1.8 -w\nputs 1\n", "README" => "r\n" }.freeze

  module_function

  # {name => metadata}
  def all = Whole.all.merge(Odd.all)

  # The bytes of a gem with this metadata.
  def archive(metadata)
    members = FILES.map { |path, text| HostileArchives::Tar.member(path, text, mode: 0o644) }
    HostileArchives::Gem.new(*members, metadata: metadata).bytes
  end
end
