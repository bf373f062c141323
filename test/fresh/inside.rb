# frozen_string_literal: true

require "fileutils"

module Fresh
  # Runs a command with a folder as its root: it has its own mounts and processes, which end with it.
  class Inside
    # The first process there reaps orphans, and all others end with it.
    #
    # /dev is this machine's (loop devices, fuse), with its own terminals and shared memory. The root is a mount as in
    # any system, which a process that unshares its mounts requires.
    ENTER = <<~'SH'
      root=$1
      shift
      mount --bind "$root" "$root"
      mount -t proc proc "$root/proc"
      mount --rbind /sys "$root/sys"
      mount --rbind /dev "$root/dev"
      mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
      mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
      code=0
      chroot "$root" "$@" || code=$?
      exit "$code"
    SH
    # If this process ends in any way, its child processes end as well.
    UNSHARE = %w[setpriv --pdeathsig KILL
                 unshare --mount --propagation private --pid --mount-proc --ipc --fork --kill-child].freeze
    PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    # The variables of this machine's environment that are passed on.
    LENT = /\A(CI|TERM|SPATE_TEST_FULL|(https?|ftp|no)_proxy)\z/i

    def initialize(root)
      @root = root
    end

    # The command line that runs these words there, with only the variables above from this machine's environment.
    def command(words, env = {})
      env = { "PATH" => PATH, "HOME" => "/root", "LANG" => "C.UTF-8", **ENV.to_h.slice(*ENV.keys.grep(LENT)), **env }
      [*UNSHARE, "sh", "-euc", ENTER, "sh", @root, "env", "-i", *env.map { |pair| pair.join("=") }, *words]
    end

    # Files that the network needs: names, trusted certificates, and the sources of gems and packages.
    def lend
      copy(%w[/etc/resolv.conf /etc/hosts /etc/gemrc], "etc")
      copy([File.expand_path("~/.gemrc"), File.expand_path("~/.npmrc")], "root")
      copy(Dir["/usr/local/share/ca-certificates/*"], "usr/local/share/ca-certificates")
      log = File.join(@root, "root/certificates.log")
      return if Inside.perform(command(%w[update-ca-certificates]), in: File::NULL, %i[out err] => log).success?

      warn "bin/fresh: certificates were not taken over:", File.readlines(log).last(3)
    end

    # Runs a command that begins with UNSHARE. An interrupt leaves no process behind.
    def self.perform(command, **streams)
      pid = Process.spawn(*command, **streams)
      Process.wait2(pid).last
    ensure
      stop(pid) if pid
    end

    # All others end with its first process.
    def self.stop(unshare)
      first = File.read("/proc/#{unshare}/task/#{unshare}/children").split.map(&:to_i)
      Process.kill(:KILL, *(first.empty? ? [unshare] : first))
      Process.wait(unshare)
    rescue SystemCallError
      nil # it has exited
    end
    private_class_method :stop

    private

    def copy(paths, to)
      there = paths.select { |path| File.exist?(path) }
      FileUtils.cp_r(there, File.join(@root, to), dereference_root: true, remove_destination: true)
    end
  end
end
