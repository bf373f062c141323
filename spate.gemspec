# frozen_string_literal: true

require_relative "lib/spate/version"

Gem::Specification.new do |spec|
  spec.name = "spate"
  spec.version = Spate::VERSION
  spec.authors = ["Spate authors"]
  spec.summary = "From a Gemfile.lock to an installed bundle, as fast as the machine allows"
  spec.description = "Installs what `bundle install` would have installed, out of a content-addressed store that all " \
                     "projects of a machine share: nothing is downloaded, unpacked or compiled twice."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = {
    "rubygems_mfa_required" => "true",
    # The folder names of this gem that a reader looks for. No homepage: the project has no public page yet, and one
    # that is made up leads nowhere.
    "documentation" => "docs/commands.md",
    "changelog" => "CHANGELOG.md"
  }

  spec.files = Dir.chdir(__dir__) do
    Dir["lib/**/*.rb", "ext/**/*.{rb,c,h}", "core/**/*.{rb,c,h}", "exe/*", "sig/**/*.rbs", "docs/**/*.md",
        "assets/**/*", ".github/actions/**/*.yml", "README.md", "CHANGELOG.md", "LICENSE.txt"]
      .grep_v(%r{\Acore/test/}).select { |path| File.file?(path) }.sort
  end
  spec.bindir = "exe"
  spec.executables = ["spate"]
  spec.extensions = Dir.chdir(__dir__) { Dir["ext/spate/*/extconf.rb"].sort }
  spec.require_paths = ["lib"]
end
