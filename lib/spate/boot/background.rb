# frozen_string_literal: true

module Spate
  module Boot
    # Starts a builder that nobody waits for: in a session of its own, at low priority, without descriptors or
    # environment of the program that boots. One builder an application works at a time, for a bounded time; what goes
    # wrong is in its log. Core Ruby only: part of a boot that has news.
    module Background
      # The shell's child outlives it: this process has nothing to wait for later, and no zombie.
      SHELL = ["/bin/sh", "-c", "\"$@\" &", "spate"].freeze

      module_function

      # location: answers root, gemfile and lockfile. recorded: as Native::Loader.recorded has it; nil after an install.
      # renew: whether the bundle is surveyed again. env: the user's, as it was before the program changed it, for the
      # stand-in is made with it. load_path: as the boot has it in the end. whole: see Recording#with.
      # Answers whether a builder was started; where none may be, the boot is noted for one that is started by hand.
      def start(location, recorded = nil, images: nil, renew: recorded.nil?, env: ENV, load_path: $LOAD_PATH,
                whole: true)
        images ||= default_images(env)
        forbidden = forbidden(env)
        return false if !images.writable?(env) || (forbidden && !by_hand?(images, location))

        images.make
        leave(images, location, recorded.map(&:first) + folders(load_path), whole) if recorded
        return false if forbidden

        spawn(images, location, renew, env)
        true
      rescue SystemCallError
        false # a full disk, a limit on processes: the next boot tries again
      end

      # Why no builder may be started (String), nil where it may.
      def forbidden(env)
        asked = env["SPATE_BOOT_BACKGROUND"].to_s
        return "SPATE_BOOT_BACKGROUND is #{asked}" if %w[0 false].include?(asked)
        return "SPATE_READONLY is set" unless ["", "0", "false"].include?(env["SPATE_READONLY"].to_s)

        "CI is set" if asked.empty? && !["", "0", "false"].include?(env["CI"].to_s)
      end

      # The log of the last builder of an application.
      def log_path(images, location)
        images.recording_path(location.root, location.gemfile).sub(/recording\z/, "log")
      end

      # Whether somebody makes images with `spate boot build`, which then wants to know of this boot.
      def by_hand?(images, location)
        place = [location.root, location.gemfile]
        File.exist?(images.boot_path(*place)) && !Recording::Drop.full?(images.recording_path(*place))
      end

      def default_images(env)
        require "#{__dir__}/../store/home"
        Images.new("#{Store::Home.find(env)}/store/v1")
      end

      def leave(images, location, paths, whole)
        Recording::Drop.leave(images.recording_path(location.root, location.gemfile), Session.kind, paths, whole: whole)
      end

      def folders(load_path)
        own = File.expand_path("../..", __dir__)
        load_path.filter_map { |path| "#{path}/" if path.is_a?(String) && path.start_with?("/") && path != own }
      end

      def spawn(images, location, renew, env)
        require "#{__dir__}/../layout/ruby"
        require "#{__dir__}/../gemfile/environment"
        clean = Gemfile::Environment.clean(env).except("SPATE_LOG")
        log = File.open(log_path(images, location), File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW, 0o600)
        pid = Process.spawn(clean, *SHELL, Layout::Ruby.path, *Compiler::RubyOptions.current, Builder::Child::SCRIPT,
                            *Builder::Words.for(location, images, renew: renew),
                            in: File::NULL, %i[out err] => log, chdir: "/", pgroup: true, close_others: true,
                            unsetenv_others: true)
        Process.wait(pid)
      ensure
        log&.close
      end

      private_class_method :by_hand?, :default_images, :leave, :folders, :spawn
    end
  end
end
