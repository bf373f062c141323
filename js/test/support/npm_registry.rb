# frozen_string_literal: true

require "support/gem_source"

# An npm registry on the loopback interface, for tests. Works with `npm install`, `npm ci`, `pnpm install` and Spate,
# and can simulate faults.
#
#   registry = NpmRegistry.start
#   registry.add("hello", "1.0.0", files: { "index.js" => "module.exports = 1" }, dependencies: { "@a/b" => "^1.0.0" })
#   registry.add("@a/b", "1.2.0", files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755] }, bin: { "b" => "cli.js" })
#   registry.add("bad", "1.0.0", archive: bytes)   # any bytes instead of a generated archive
#   registry.url                                    # => "http://localhost:39871/"
#   registry.resolved("hello", "1.0.0")             # => "http://localhost:39871/hello/-/hello-1.0.0.tgz"
#   registry.integrity("hello", "1.0.0")            # => "sha512-..."
#   registry.archive("hello", "1.0.0")              # => its bytes
#   registry.requests.map(&:path)                   # => ["/hello", "/hello/-/hello-1.0.0.tgz"]; each with #headers
#   registry.stop
#
# The arguments of #add become package.json, except the options of Package (bin, scripts, os, cpu, dependencies,
# optionalDependencies, peerDependencies, bundledDependencies, engines ... are fields).
#
# Configure a tool with { "npm_config_registry" => registry.url }, or `registry=...` in .npmrc.
# NpmRegistry.env(registry) returns an environment in which npm and pnpm use no other registry and no files of the user.
#
#   NpmRegistry.start(token: "secret")              # responds with 401 unless "Bearer secret" is sent
#   NpmRegistry.start(userinfo: "me:secret")        # the same with "Basic ..."
#   NpmRegistry.start(path: "/npm/all/")            # a registry below a path
#   NpmRegistry.start(tls: GemSource::Authority.new(folder))
#   registry.fault(%r{/-/hello}, :status, code: 503, times: 2)
#
# Faults are those of GemSource::Fault: stall, truncate, reset, endless, announce (a wrong length), corrupt (wrong
# bytes), html, status, redirect (to a different host: registry.url(host: "127.0.0.1") is one), gzip, garble, delay.
module NpmRegistry
  autoload :Catalog, File.expand_path("npm_registry/catalog", __dir__)
  autoload :Package, File.expand_path("npm_registry/package", __dir__)
  autoload :Pages, File.expand_path("npm_registry/pages", __dir__)
  autoload :Server, File.expand_path("npm_registry/server", __dir__)

  # Options: see Server.
  def self.start(**options) = Server.new(Catalog.new, **options).start

  # The environment for a tool that must use only this registry. home: an empty folder for all caches and stores.
  def self.env(registry, home:)
    { "HOME" => home, "XDG_CACHE_HOME" => "#{home}/cache", "XDG_CONFIG_HOME" => "#{home}/config",
      "XDG_DATA_HOME" => "#{home}/data", "XDG_STATE_HOME" => "#{home}/state", "PNPM_HOME" => "#{home}/pnpm",
      "npm_config_registry" => registry.url, "pnpm_config_registry" => registry.url,
      "npm_config_cache" => "#{home}/cache/npm", "npm_config_audit" => "false", "npm_config_fund" => "false",
      "npm_config_update_notifier" => "false", "CI" => "true", "NO_PROXY" => "localhost,127.0.0.1" }
  end
end
