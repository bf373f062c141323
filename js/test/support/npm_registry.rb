# frozen_string_literal: true

require "support/gem_source"

# An npm registry on the loopback interface, for tests: true enough for `npm install`, `npm ci`, `pnpm install` and
# Spate, and able to misbehave on demand.
#
#   registry = NpmRegistry.start
#   registry.add("hello", "1.0.0", files: { "index.js" => "module.exports = 1" }, dependencies: { "@a/b" => "^1.0.0" })
#   registry.add("@a/b", "1.2.0", files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755] }, bin: { "b" => "cli.js" })
#   registry.add("bad", "1.0.0", archive: bytes)   # any bytes at all instead of an archive made from files
#   registry.url                                    # => "http://localhost:39871/"
#   registry.resolved("hello", "1.0.0")             # => "http://localhost:39871/hello/-/hello-1.0.0.tgz"
#   registry.integrity("hello", "1.0.0")            # => "sha512-..."
#   registry.archive("hello", "1.0.0")              # => its bytes
#   registry.requests.map(&:path)                   # => ["/hello", "/hello/-/hello-1.0.0.tgz"]; each with #headers
#   registry.stop
#
# package.json is made from the arguments of #add: all except the options of Package (bin, scripts, os, cpu,
# dependencies, optionalDependencies, peerDependencies, bundledDependencies, engines ...).
#
# Configure a tool with { "npm_config_registry" => registry.url }, or `registry=...` in .npmrc.
# NpmRegistry.env(registry) returns an environment in which npm and pnpm use no other registry and none of the user's
# files.
#
#   NpmRegistry.start(token: "secret")              # 401 to all that do not send "Bearer secret"
#   NpmRegistry.start(userinfo: "me:secret")        # the same with "Basic ..."
#   NpmRegistry.start(path: "/npm/all/")            # is below a path
#   NpmRegistry.start(tls: GemSource::Authority.new(folder))
#   registry.fault(%r{/-/hello}, :status, code: 503, times: 2)
#
# Faults are those of GemSource::Fault: stall, truncate, reset, endless, announce (a wrong length), corrupt (wrong
# bytes), html, status, redirect (to another host: registry.url(host: "127.0.0.1") is one), gzip, garble, delay.
module NpmRegistry
  autoload :Catalog, File.expand_path("npm_registry/catalog", __dir__)
  autoload :Package, File.expand_path("npm_registry/package", __dir__)
  autoload :Pages, File.expand_path("npm_registry/pages", __dir__)
  autoload :Server, File.expand_path("npm_registry/server", __dir__)

  # Options: see Server.
  def self.start(**options) = Server.new(Catalog.new, **options).start

  # Variables for a tool that is to ask only this registry. home: an empty folder, which gets all caches and stores.
  def self.env(registry, home:)
    { "HOME" => home, "XDG_CACHE_HOME" => "#{home}/cache", "XDG_CONFIG_HOME" => "#{home}/config",
      "XDG_DATA_HOME" => "#{home}/data", "XDG_STATE_HOME" => "#{home}/state", "PNPM_HOME" => "#{home}/pnpm",
      "npm_config_registry" => registry.url, "pnpm_config_registry" => registry.url,
      "npm_config_cache" => "#{home}/cache/npm", "npm_config_audit" => "false", "npm_config_fund" => "false",
      "npm_config_update_notifier" => "false", "CI" => "true", "NO_PROXY" => "localhost,127.0.0.1" }
  end
end
