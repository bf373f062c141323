# frozen_string_literal: true

module Spate
  module Git
    # The values of an evaluated gemspec, for a gem that is used in its folder: Strings and Arrays of Strings.
    # path::         of the .gemspec file
    # path::         of the .gemspec file
    # dependencies:: names of its runtime dependencies
    Gemspec = Struct.new(:path, :folder, :name, :version, :platform, :require_paths, :bindir, :executables, :extensions,
                         :dependencies, :required_ruby, :required_rubygems, :post_install_message,
                         keyword_init: true) do
      def full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
      def native? = !extensions.empty?
    end
  end
end
