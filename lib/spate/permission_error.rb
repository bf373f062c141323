# frozen_string_literal: true

module Spate
  # Explains "permission denied": the folder, its owner, the fix. The message of a failed system call contains the path,
  # or two of them.
  class PermissionError
    ERRORS = [Errno::EACCES, Errno::EPERM].freeze
    # "Permission denied @ rb_file_s_rename - (/from, /to)"
    PATHS = %r{ @ \w+ - \(?(/.+?)(?:, (/.+?))?\)?\z}

    # nil where the error is of another kind, or tells no path.
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

    # Whether it is another user's.
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

    # A folder that may not be looked into shows nothing below it.
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
