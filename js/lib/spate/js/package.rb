# frozen_string_literal: true

module Spate
  module JS
    # One archive that a lockfile names, wherever and however often it is placed.
    #
    # name:: its own name (not an alias), e.g. "@babel/core"
    # version:: String, or nil where the lockfile has none (archives by address)
    # integrity:: Integrity, or nil
    # resolved:: the archive's address as the lockfile has it, nil for the registry's own; "file:..." for an archive
    #            below the lockfile's folder
    Package = Struct.new(:name, :version, :integrity, :resolved) do
      def initialize(name:, version: nil, integrity: nil, resolved: nil)
        super(Package::Name.check(name, "package"), version, integrity, resolved)
        freeze
      end

      # For people: "@babel/core@7.0.0".
      def full_name = version ? "#{name}@#{version}" : "#{name} (#{Util.redact(resolved)})"
      def file? = resolved.to_s.start_with?("file:")
    end

    # In the class itself, where its constants are found.
    class Package
      autoload :Facts, "spate/js/package/facts"
      autoload :Integrity, "spate/js/package/integrity"
      autoload :Name, "spate/js/package/name"
    end
  end
end
