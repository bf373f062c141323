# frozen_string_literal: true

module Spate
  module Git
    # What an evaluated gemspec says, of a gem that is used where it lies. All Strings, and Arrays of them.
    #
    # path::         of the .gemspec file
    # dependencies:: names of the gems it needs while it runs
    Gemspec = Struct.new(:path, :folder, :name, :version, :platform, :require_paths, :bindir, :executables, :extensions,
                         :dependencies, :required_ruby, :required_rubygems, :post_install_message,
                         keyword_init: true) do
      def full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
      def native? = !extensions.empty?
    end
  end
end
