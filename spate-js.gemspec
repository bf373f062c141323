# frozen_string_literal: true

require_relative "lib/spate/version"

Gem::Specification.new do |spec|
  spec.name = "spate-js"
  spec.version = Spate::VERSION
  spec.authors = ["Spate authors"]
  spec.summary = "Restores node_modules from package-lock.json and pnpm-lock.yaml"
  spec.description = "`spate js` and `spate install --js`: what `npm ci` and `pnpm install --frozen-lockfile` would " \
                     "have installed, out of the store that Spate keeps for gems."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = { "rubygems_mfa_required" => "true", "documentation" => "js/README.md",
                    "changelog" => "js/CHANGELOG.md" }

  spec.files = Dir.chdir(__dir__) { Dir["js/lib/**/*.rb", "js/docs/**/*.md", "js/*.{md,txt}"].sort }
  spec.require_paths = ["js/lib"]
  # Its store, network and command line; the two are released together.
  spec.add_runtime_dependency "spate", Spate::VERSION
end
