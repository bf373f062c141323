# frozen_string_literal: true

require "fileutils"
require "rubygems"

module Spate
  # Kinds of places where a bundle may be, each the test's own: in the project, beside the user's data, in a folder that
  # projects share, and, as root, in Ruby's own gem folder.
  module BundlePlaces
    DEFAULT = Gem.default_dir
    # In a namespace of this process's: the tests leave the machine's folder as it is.
    OWN_MOUNT = "mount --bind \"$0\" #{DEFAULT} && exec \"$@\"".freeze
    # {kind => environment}; %s: a folder for all that the test keeps.
    KINDS = { "gem_home" => { "GEM_HOME" => "%s/home/.local/share/gem/ruby/own", "BUNDLE_PATH" => nil },
              "shared" => { "BUNDLE_PATH" => "%s/srv/bundle" }, "vendor" => {} }.freeze

    module_function

    def kinds = Process.euid.zero? ? ["default", *KINDS.keys] : KINDS.keys

    # Environment of a project whose bundle is to be in a place of that kind.
    def env(kind, folder)
      return { "BUNDLE_PATH" => nil, "BUNDLE_SYSTEM_BINDIR" => "#{folder}/bin" } if kind == "default"

      KINDS.fetch(kind).transform_values { |path| path && format(path, folder) }
    end

    # Lets the project's commands have a copy of Ruby's own gem folder in its place.
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
