# frozen_string_literal: true

require "fileutils"
require "rubygems"

module Spate
  # Kinds of locations for a bundle. Each is only for the test: in the project, in the user's data folder, in a folder
  # that projects share, and, as root, in Ruby's own gem folder.
  module BundlePlaces
    DEFAULT = Gem.default_dir
    # Uses a mount namespace, so that the tests do not change this machine's folder.
    OWN_MOUNT = "mount --bind \"$0\" #{DEFAULT} && exec \"$@\"".freeze
    # {kind => environment}. %s: a folder for all files of the test.
    KINDS = { "gem_home" => { "GEM_HOME" => "%s/home/.local/share/gem/ruby/own", "BUNDLE_PATH" => nil },
              "shared" => { "BUNDLE_PATH" => "%s/srv/bundle" }, "vendor" => {} }.freeze

    module_function

    def kinds = Process.euid.zero? ? ["default", *KINDS.keys] : KINDS.keys

    # The environment of a project whose bundle is at this kind of location.
    def env(kind, folder)
      return { "BUNDLE_PATH" => nil, "BUNDLE_SYSTEM_BINDIR" => "#{folder}/bin" } if kind == "default"

      KINDS.fetch(kind).transform_values { |path| path && format(path, folder) }
    end

    # Mounts a copy over Ruby's own gem folder for the project's commands.
    def own_default(project, folder)
      own = "#{folder}/default"
      FileUtils.mkdir_p(folder)
      FileUtils.cp_r(DEFAULT, own) unless File.exist?(own)
      project.singleton_class.prepend(Module.new do
        define_method(:run) do |*command, **options|
          super("unshare", "--mount", "sh", "-c", OWN_MOUNT, own, *command, **options)
        end
      end)
      project
    end
  end
end
