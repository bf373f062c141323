# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # The environment of a script, as npm and pnpm create it: the user's variables, fields of package.json, and paths.
      # Excludes credentials of registries: settings that begin with `_`, `@` or `//`, or whose name suggests a secret,
      # are not passed on.
      class Variables
        CONFIGURATION = /\Ap?npm_config_(.*)\z/i
        SECRET = %r{\A(?:[_@/]|.*:_)|auth|password|token|otp\b|\Akey\z|\Acert\z}i
        OWN = /\A(?:npm_package_|npm_lifecycle_)|\A(?:NODE|INIT_CWD|PNPM_SCRIPT_SRC_DIR)\z/
        # Fields of package.json that are passed on.
        PACKAGE = %w[name version config engines bin].freeze
        # Paths in the project and of installed tools. A stored build depends on the files there, not on the paths.
        PLACES = %w[INIT_CWD NODE NODE_PATH PNPM_SCRIPT_SRC_DIR npm_config_global_prefix npm_config_globalconfig
                    npm_config_local_prefix npm_config_node_gyp npm_config_prefix npm_config_user_agent
                    npm_config_userconfig npm_config_cache npm_execpath npm_lifecycle_event npm_lifecycle_script
                    npm_node_execpath npm_package_json npm_config_npm_version].freeze

        # Paths of the project itself, and texts of scripts, which the key covers already.
        HERE = %w[PWD OLDPWD INIT_CWD PNPM_SCRIPT_SRC_DIR npm_config_local_prefix npm_lifecycle_event
                  npm_lifecycle_script npm_package_json].freeze
        # Variables of a terminal, a session or a surrounding make, which differ between runs.
        SESSION = /\A(?:
          TERM(?:_\w+|INFO)?|COLORTERM|COLUMNS|LINES|SHLVL|_|VTE_VERSION|WT_SESSION|DISPLAY|WAYLAND_DISPLAY|WINDOWID|
          SSH_\w+|XDG_SESSION_\w+|DBUS_\w+|TMUX\w*|GPG_\w+|MAKELEVEL|MFLAGS|MAKEFLAGS|MAKE_TERM(?:ERR|OUT)
        )\z/x
        private_constant :HERE

        # env: {name => value}, the user's environment. configuration: JS::Configuration, or nil. machine: Machine.
        def initialize(env, root, tool, configuration, machine)
          @env = env
          @root = root
          @tool = tool
          @configuration = configuration
          @machine = machine
          @mutex = Mutex.new
        end

        # The environment of one script. job: Job.
        def of(job, event, text)
          whole = common.merge(package(job), place(job), "npm_lifecycle_event" => event, "npm_lifecycle_script" => text)
          whole.merge("PATH" => path(job.folder, whole["PATH"]))
        end

        # The program that a job's scripts start as `node`; nil if there is none.
        def node(job) = Tools::Program.find("node", path(job.folder, common["PATH"]))

        # Variables that a stored build may depend on.
        def counted(job) = common.merge(package(job)).except(*PLACES)

        # All variables of a job's scripts, sorted, without those that depend on the project's location or on the
        # session. Reads of the environment cannot be traced, so a stored build is only valid for this environment.
        def inputs(job)
          common.merge(package(job), place(job), "PATH" => elsewhere([@machine.gyp_bin, common["PATH"]]))
                .reject { |name, _| HERE.include?(name) || SESSION.match?(name) }.sort
        end

        private

        # The folders of a PATH that are outside the project.
        def elsewhere(path)
          path.compact.join(File::PATH_SEPARATOR).split(File::PATH_SEPARATOR)
              .reject { |folder| "#{folder}/".start_with?("#{@root}/") }.join(File::PATH_SEPARATOR)
        end

        # Variables shared by all scripts.
        def common = @mutex.synchronize { @common ||= user.merge(settings, tools).compact }

        def user
          Util::Environment.clean(@env).reject do |name, _|
            OWN.match?(name) || name == Install::FolderLock::VARIABLE || name[CONFIGURATION, 1]&.match?(SECRET)
          end
        end

        # npm passes on its settings, pnpm does not.
        def settings
          return {} unless @configuration && @tool == "npm"

          set = @configuration.list.reject { |key, value| SECRET.match?(key) || value.is_a?(Hash) || value.nil? }
          set.to_h { |key, value| ["npm_config_#{key.tr("-", "_").downcase}", setting(value)] }
        end

        def setting(value)
          case value
          when Array then value.join("\n\n")
          when false then ""
          else value.to_s
          end
        end

        def tools
          { "NODE" => @machine.node, "npm_node_execpath" => @machine.node, "npm_execpath" => @machine.program,
            "npm_config_user_agent" => @machine.user_agent, "npm_config_node_gyp" => @machine.gyp,
            "INIT_CWD" => @root, **(@tool == "npm" ? npm : { "pnpm_config_verify_deps_before_run" => "false" }) }
        end

        def npm = { "npm_config_local_prefix" => @root, "npm_config_npm_version" => @machine.version }

        def place(job)
          made = { "npm_package_json" => File.join(job.folder, Project::PACKAGE) }
          made["PNPM_SCRIPT_SRC_DIR"] = job.folder if @tool == "pnpm"
          return made unless job.tree && @tool == "npm"

          package = job.tree.package
          made.merge({ "npm_package_resolved" => package.resolved, "npm_package_integrity" => package.integrity&.to_s,
                       "npm_package_optional" => job.tree.optional ? "1" : "" }.compact)
        end

        def package(job)
          found = Project.read(File.join(job.folder, Project::PACKAGE)).slice(*PACKAGE)
          flat(found, "npm_package_").reject { |name, value| (name + value).include?("\0") }
        end

        # Flattens nested values. A variable's name contains the indexes of lists and the keys of objects.
        def flat(values, prefix)
          values.each_with_object({}) do |(key, value), all|
            name = "#{prefix}#{key}"
            case value
            when Hash then all.update(flat(value, "#{name}_"))
            when Array then all.update(flat(value.each_index.to_h { |index| [index, value[index]] }, "#{name}_"))
            when nil, false then all[named(name)] = ""
            else all[named(name)] = value.to_s
            end
          end
        end

        # pnpm only uses names that a shell supports.
        def named(name) = @tool == "pnpm" ? name.gsub(/[^A-Za-z0-9_]/, "_") : name.delete("=\0")

        def path(folder, path)
          [*bins(folder), @machine.gyp_bin, path].compact.join(File::PATH_SEPARATOR)
        end

        # The .bin folders of all node_modules above a folder; with pnpm, only those of the folders that contain the
        # package.
        def bins(folder)
          return above(folder).map { |place| "#{place}/node_modules/.bin" } unless @tool == "pnpm"

          parts = folder.split("/node_modules/")
          parts.each_index.map { |last| "#{parts[0..last].join("/node_modules/")}/node_modules/.bin" }.reverse
        end

        def above(folder)
          places = [folder]
          places << File.dirname(places.last) until places.last == "/"
          places.map { |place| place.chomp("/") }
        end
      end

      # node and the package manager of this machine, for the environment of scripts. Used only if a script has to run.
      class Machine
        # Folder of the programs that npm provides for scripts, relative to npm's folder. Debian installs them next to
        # npm.
        GYP_BIN = "@npmcli/run-script/lib/node-gyp-bin"
        GYP = "node-gyp/bin/node-gyp.js"
        PLACES = %w[node_modules .. ../../nodejs].freeze

        # env: {name => value}. tool: "npm" or "pnpm". version: the tool's version, nil if unknown.
        def initialize(env, tool, version = nil)
          @env = env
          @tool = tool
          @version = version
        end

        # Absolute path of node, or nil.
        def node = @node ||= Tools::Program.find("node", @env["PATH"])

        # "20.1.0", or nil without node.
        def node_version = @node_version ||= Npm::Machine::NodeVersion.of(@env)

        # The path of the tool's own program (its JavaScript file, if there is one), or nil.
        def program
          found = Tools::Program.find(@tool, @env["PATH"]) or return
          File.realpath(found)
        end

        # The tool's version, or nil.
        def version = @version ||= Project::Version.installed(@tool, @env)

        # gyp_bin: a folder with a program node-gyp. gyp: node-gyp's script. nil if missing.
        def gyp_bin = beside(GYP_BIN)
        def gyp = beside(GYP)

        # "npm/10.8.1 node/v20.1.0 linux x64".
        def user_agent
          version = "#{@tool}/#{self.version || "?"}"
          version += " npm/?" if @tool == "pnpm"
          "#{version} node/v#{node_version} linux #{processor}#{" workspaces/false" if @tool == "npm"}"
        end

        private

        def npm = @npm ||= Configuration::NpmFolder.new(@env).path

        def beside(name)
          return unless npm

          PLACES.map { |place| File.expand_path("#{place}/#{name}", npm) }.find { |path| File.exist?(path) }
        end

        def processor
          { "x86_64" => "x64", "aarch64" => "arm64", "i686" => "ia32" }.fetch(cpu = RUBY_PLATFORM[/\A[^-]+/], cpu)
        end
      end
    end
  end
end
