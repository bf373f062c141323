# frozen_string_literal: true

require "set"

module Spate
  # The content of a project's node_modules, in a form for both npm's result and Spate's plan:
  # { path => "package", "link to ../x", "bin to ../a/cli.js" }.
  class Planned
    BIN = %r{(?:\A|/)node_modules/\.bin/[^/]+\z}
    PACKAGE = %r{(?:\A|/)node_modules/(?:@[^/.][^/]*/[^/]+|[^@./][^/]*)\z}

    # Reads the content from disk. within: paths of folders that are skipped.
    def self.found(root, within: [])
      Dir.glob("**/node_modules/**/*", File::FNM_DOTMATCH, base: root).each_with_object({}) do |path, all|
        next if within.any? { |folder| path.start_with?("#{folder}/") }

        whole = File.join(root, path)
        if BIN.match?(path) then all[path] = "bin to #{File.readlink(whole)}"
        elsif File.symlink?(whole) then all[path] = "link to #{File.readlink(whole)}"
        elsif PACKAGE.match?(path) && File.directory?(whole) then all[path] = "package"
        end
      end
    end

    # Computes the content from a plan. Omits bins whose file does not exist below root. bundled: paths of packages
    # inside of archives.
    def self.of(plan, root, bundled: [])
      all = plan.trees.to_h { |tree| [tree.path, "package"] }
      plan.links.each { |path, target| all[path] = "link to #{target}" }
      bundled.each { |path| all[path] = "package" }
      plan.bins.each do |folder|
        folder.style.entries(folder).each do |path, link|
          all[path] = "bin to #{link.target}" if File.exist?(File.join(root, File.dirname(path), link.target))
        end
      end
      all
    end
  end
end
