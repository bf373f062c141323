# frozen_string_literal: true

module Spate
  module Boot
    # The application being booted: absolute paths of its root, Gemfile and lockfile. The last two are nil without a
    # Gemfile. Unlike Gemfile::Location, this does not read Bundler's settings, so it misses a Gemfile that only a
    # setting names. The builder finds it.
    Application = Struct.new(:root, :gemfile, :lockfile) do
      # from: a file of the application (config/boot.rb), or nil to search from the current directory.
      def self.find(from: nil, env: ENV, cwd: Dir.pwd)
        given = env["BUNDLE_GEMFILE"].to_s
        return for_gemfile(File.expand_path(given, cwd), env) unless given.empty?

        folder = from ? File.dirname(from) : cwd
        gemfile = search(folder) || search(cwd)
        gemfile ? for_gemfile(gemfile, env) : new(folder, nil, nil)
      end

      def self.for_gemfile(gemfile, env)
        locked = env["BUNDLE_LOCKFILE"].to_s
        locked = lockfile_of(gemfile) if locked.empty?
        new(File.dirname(gemfile), gemfile, File.expand_path(locked))
      end

      def self.lockfile_of(gemfile)
        File.basename(gemfile) == "gems.rb" ? gemfile.sub(/\.rb\z/, ".locked") : "#{gemfile}.lock"
      end
      private_class_method :for_gemfile, :lockfile_of

      def self.search(folder)
        loop do
          %w[gems.rb Gemfile].each { |name| return "#{folder}/#{name}" if File.file?("#{folder}/#{name}") }
          above = File.dirname(folder)
          return if above == folder

          folder = above
        end
      end
      private_class_method :search
    end
  end
end
