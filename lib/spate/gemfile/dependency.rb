# frozen_string_literal: true

module Spate
  module Gemfile
    # One `gem` line of the Gemfile, or one development dependency of its gemspec.
    #
    # name; requirement "~> 1.2, >= 1.2.1"; groups [:default]; platforms as the Gemfile names them [:mri], empty for
    # all; platforms_ok: whether it counts on this Ruby and machine (platforms, `env` and `install_if` together);
    # force_ruby_platform true or nil; source: :default, :rubygems, :git, :path or :plugin; autorequire: nil where the
    # Gemfile says nothing, else the list of what to require.
    Dependency = Struct.new(:name, :requirement, :groups, :platforms, :platforms_ok, :force_ruby_platform, :source,
                            :autorequire) do
      # fields: what the child process wrote after "dependency".
      def self.read(fields)
        name, requirement, groups, platforms, fits, forced, source, autorequire = fields
        new(name, requirement, groups.split(",").map(&:to_sym), platforms.to_s.split(",").map(&:to_sym),
            fits == "1", forced == "1" || nil, source.to_sym,
            autorequire&.delete_prefix("=")&.split(","))
      end
    end
  end
end
