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
    # own:: see Record
    # processor:: whether it is known before that the result holds for one kind of processor
    # keep:: whether what lies in extension_dir is another gem's of the same checkout, and stays
    # again:: whether to look once more for a stored one first
    Job = Struct.new(:package, :gem_dir, :extension_dir, :key, :spec_path, :specification, :archive_sha256, :arguments,
                     :loaded, :own, :processor, :keep, :again, keyword_init: true)
  end
end
