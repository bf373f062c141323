# frozen_string_literal: true

require "fileutils"

module Fresh
  # Runs a command with a folder as its root, and with separate mounts and processes that end with it.
  class Inside
    # The script of the first process inside. It reaps orphans; when it exits, all others end.
    #
    # /dev is this machine's (loop devices, fuse), with separate terminals and shared memory. The root is a mount,
    # because `unshare --mount` requires one.
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
    # If this process exits or is killed, its child processes end, too.
    UNSHARE = %w[setpriv --pdeathsig KILL
                 unshare --mount --propagation private --pid --mount-proc --ipc --fork --kill-child].freeze
    PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    # The variables that are passed on from this machine's environment.
    LENT = /\A(CI|TERM|SPATE_TEST_FULL|(https?|ftp|no)_proxy)\z/i

    def initialize(root)
      @root = root
    end

    # The command line that runs these words inside. Passes on only the variables above.
    def command(words, env = {})
      env = { "PATH" => PATH, "HOME" => "/root", "LANG" => "C.UTF-8", **ENV.to_h.slice(*ENV.keys.grep(LENT)), **env }
      [*UNSHARE, "sh", "-euc", ENTER, "sh", @root, "env", "-i", *env.map { |pair| pair.join("=") }, *words]
    end

    # Copies files that network access needs: names, trusted certificates, and the sources of gems and packages.
    def lend
      copy(%w[/etc/resolv.conf /etc/hosts /etc/gemrc], "etc")
      copy([File.expand_path("~/.gemrc"), File.expand_path("~/.npmrc")], "root")
      copy(Dir["/usr/local/share/ca-certificates/*"], "usr/local/share/ca-certificates")
      log = File.join(@root, "root/certificates.log")
      return if Inside.perform(command(%w[update-ca-certificates]), in: File::NULL, %i[out err] => log).success?

      warn "bin/fresh: certificates were not taken over:", File.readlines(log).last(3)
    end

    # Runs a command that begins with UNSHARE. After an interrupt no process is left.
    def self.perform(command, **streams)
      pid = Process.spawn(*command, **streams)
      Process.wait2(pid).last
    ensure
      stop(pid) if pid
    end

    # Kills the first process inside, with which all others end.
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
