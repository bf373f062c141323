# frozen_string_literal: true

require "fileutils"

module Spate
  # Real applications that tests and benchmarks install: folders with Gemfile and Gemfile.lock below SPATE_TEST_APPS.
  # `__SOURCE__` in these files is replaced with the gem source of this machine.
  module TestApps
    FOLDER = ENV["SPATE_TEST_APPS"] || File.expand_path("../../../shared/apps", __dir__)

    module_function

    def available?(name) = File.directory?(File.join(FOLDER, name))

    # Copies the app into `target` with its source inserted. source: URI without a final slash.
    def copy(name, target, source: self.source)
      FileUtils.mkdir_p(target)
      source_folder = File.join(FOLDER, name)
      FileUtils.cp_r("#{source_folder}/.", target)
      # Does not change `target` recursively: files of an existing bundle share their modes with the store.
      FileUtils.chmod_R("u+w", Dir.children(source_folder).map { |child| File.join(target, child) })
      %w[Gemfile Gemfile.lock].each do |file|
        path = File.join(target, file)
        File.write(path, File.read(path).gsub("__SOURCE__", source)) if File.file?(path)
      end
      target
    end

    def source
      require "rubygems"
      Gem.sources.to_a.first.to_s.delete_suffix("/")
    end
  end
end
