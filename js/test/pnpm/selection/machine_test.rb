# frozen_string_literal: true

require_relative "../pnpm_case"

module Spate
  class PnpmMachineTest < PnpmCase
    Snapshot = JS::Pnpm::Lockfile::Snapshot

    def test_os_cpu_and_libc
      assert fit?({}, name: "a")
      assert fit?({ "os" => %w[linux darwin], "cpu" => ["x64"], "libc" => ["glibc"] })
      assert fit?({ "os" => ["!win32"], "cpu" => ["any"] })
      refute fit?({ "os" => ["darwin"] })
      refute fit?({ "os" => ["!linux"] })
      refute fit?({ "libc" => "musl" })
      assert fit?({ "libc" => ["musl"] }, libc: "unknown")
    end

    def test_supported_architectures
      supported = { "os" => %w[current win32], "cpu" => ["arm64"] }

      assert fit?({ "os" => ["win32"] }, supported: supported)
      assert fit?({ "os" => ["linux"] }, supported: supported)
      refute fit?({ "cpu" => ["x64"] }, supported: supported)
    end

    def test_names_give_the_platform_if_entries_do_not
      refute fit?({}, name: "@x/tool-win32-x64")
      assert fit?({}, name: "@x/tool-win32-x64", major: 10)
      refute fit?({ "os" => ["linux"] }, name: "tool-linux-arm64")
      assert fit?({}, name: "tool-arm64")
      refute fit?({}, name: "tool-linux-x64-musl")
    end

    def test_node_is_started_only_if_needed
      assert fit?({ "engines" => { "node" => ">=18" } }, node: "20.1.0")
      refute fit?({ "engines" => { "node" => ">=18" } }, node: "16.1.0")
      assert fit?({ "engines" => { "node" => ">=18" } }, node: nil)
      refute fit?({ "os" => ["darwin"], "engines" => { "node" => ">=18" } }, node: -> { flunk })
    end

    private

    def fit?(entry, name: "a", libc: "glibc", supported: {}, major: 12, node: "20.0.0")
      asked = node.is_a?(Proc) ? node : -> { node }
      machine = JS::Pnpm::Selection::Machine.new("linux", "x64", libc, supported: supported, major: major, node: asked)
      machine.fit?(Snapshot.new("#{name}@1", name, "1", entry, {}, {}, {}, true))
    end
  end
end
