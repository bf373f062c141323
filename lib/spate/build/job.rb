# frozen_string_literal: true

module Spate
  module Build
    # One build to run.
    #
    # package:: answers name and full_name
    # gem_dir, extension_dir:: absolute
    # spec_path, specification:: the gemspec's path, or its text in Ruby
    # archive_sha256:: hex
    # arguments:: [String] of build.NAME
    # loaded:: the gem's require paths, absolute
    # keep:: whether what lies in extension_dir is another gem's of the same checkout, and stays
    Job = Struct.new(:package, :gem_dir, :extension_dir, :key, :spec_path, :specification, :archive_sha256, :arguments,
                     :loaded, :keep, keyword_init: true)
  end
end
