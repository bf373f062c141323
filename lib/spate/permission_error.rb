# frozen_string_literal: true

module Spate
  # Explains a "permission denied" error with the folder, its owner and a fix. Ruby's message of a failed system call
  # contains one or two paths.
  class PermissionError
    ERRORS = [Errno::EACCES, Errno::EPERM].freeze
    # "Permission denied @ rb_file_s_rename - (/from, /to)"
    PATHS = %r{ @ \w+ - \(?(/.+?)(?:, (/.+?))?\)?\z}

    # Returns nil for another kind of error, or if its message contains no path.
    def self.of(error)
      return unless ERRORS.any? { |kind| kind === error } # rubocop:disable Style/CaseEquality -- by errno

      paths = error.message.match(PATHS)&.captures.to_a.compact
      paths = paths.map { |path| new(path) }
      paths.find(&:foreign?) || paths.last
    end

    # path: absolute, need not exist.
    def initialize(path)
      @path = path
      @place = path
      @place = File.dirname(@place) until @place == "/" || exist?(@place)
    end

    # Whether the path belongs to another user.
    def foreign? = !owner.nil? && owner != Process.euid

    def message
      return "#{@path}: permission denied" unless foreign?

      "#{@path}: permission denied; #{@place} belongs to #{name(owner)}, this is #{name(Process.euid)}"
    end

    def hint
      return "make it writable: chmod u+rwX #{@place}" unless foreign?

      "run the command as that user, or use a folder of your own: `bundle config set --local path DIR` for the " \
        "bundle, SPATE_HOME=DIR for the store"
    end

    private

    # false if the path is in a folder that this user must not search.
    def exist?(path) = File.symlink?(path) || File.exist?(path)

    def owner
      File.lstat(@place).uid
    rescue SystemCallError
      nil
    end

    def name(uid)
      require "etc"
      "#{Etc.getpwuid(uid).name} (user #{uid})"
    rescue ArgumentError, LoadError, NoMethodError
      "user #{uid}"
    end
  end
end
