# frozen_string_literal: true

module Spate
  module Gemfile
    # The absolute paths of an application; {Gemfile.find} returns them.
    #
    # @!attribute gemfile
    #   @return [String] the Gemfile or gems.rb
    # @!attribute lockfile
    #   @return [String] need not exist
    # @!attribute root
    #   @return [String] the folder for relative paths
    Location = Struct.new(:gemfile, :lockfile, :root) do
      # @!visibility private

      # As Bundler, uses the command line, then the setting `gemfile` (environment: BUNDLE_GEMFILE), then gems.rb or
      # Gemfile in the folder or the nearest parent.
      def self.find(cwd, env = ENV, gemfile: nil)
        given = gemfile || env["BUNDLE_GEMFILE"]
        path = given.nil? || given.empty? ? search(cwd) : File.expand_path(given, cwd)
        unless gemfile
          configured = path && configured("BUNDLE_GEMFILE", File.dirname(path), env)
          path = File.expand_path(configured, cwd) if configured
        end
        raise NotFound, cwd unless path
        raise NotFound.new(path, named: true) unless File.file?(path)

        new(path, lockfile_for(path, cwd, env), File.dirname(path))
      end

      # A setting from a configuration file. The application's file takes precedence over the environment; the user's
      # file does not.
      def self.configured(key, root, env)
        folders = Settings::Folders.new(root, env)
        files = [folders.local_config, (folders.global_config if env[key].to_s.empty?)]
        files.each do |file|
          next unless file && File.exist?(file)

          value = Settings::ConfigFile.settings(file)[key]
          return value if value.is_a?(String) && !value.empty?
        end
        nil
      end
      private_class_method :configured

      def self.search(cwd)
        folder = File.expand_path(cwd)
        until (found = %w[gems.rb Gemfile].map { |name| File.join(folder, name) }.find { |path| File.file?(path) })
          return if folder == (folder = File.dirname(folder))
        end
        found
      end
      private_class_method :search

      # Returns BUNDLE_LOCKFILE, the setting `lockfile` (Bundler 4), or the default: gems.locked for gems.rb, otherwise
      # the Gemfile's name with `.lock` appended.
      def self.lockfile_for(gemfile, cwd, env)
        given = env["BUNDLE_LOCKFILE"].to_s
        given = configured("BUNDLE_LOCKFILE", File.dirname(gemfile), env).to_s if given.empty?
        return File.expand_path(given, cwd) unless given.empty?

        File.basename(gemfile) == "gems.rb" ? gemfile.sub(/\.rb\z/, ".locked") : "#{gemfile}.lock"
      end
      private_class_method :lockfile_for

      def lockfile? = File.file?(lockfile)
    end
  end
end
