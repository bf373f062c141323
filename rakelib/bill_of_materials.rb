# frozen_string_literal: true

require "digest"
require "json"
require "rubygems/package"

# Lists the gems of a release, their dependencies and the libraries that they link against, as a CycloneDX document.
class BillOfMaterials
  # Libraries: { name => [licence, gems that link against it] }. Precompiled gems contain libdeflate.
  LIBRARIES = { "zlib" => ["Zlib", %w[spate spate-bytes]], "libdeflate" => ["MIT", %w[spate spate-bytes]],
                "openssl" => ["Apache-2.0", %w[spate-server]] }.freeze

  # gems: paths of the gems.
  def initialize(gems)
    @gems = gems.to_h { |path| [path, Gem::Package.new(path).spec] }
  end

  # The document. It has no timestamp or random number, so that the same gems give the same document.
  def to_json(*)
    libraries = LIBRARIES.map { |name, (licence, _)| library(name, licence) }
    JSON.pretty_generate("bomFormat" => "CycloneDX", "specVersion" => "1.5", "version" => 1,
                         "components" => @gems.map { |path, spec| gem(path, spec) } + libraries,
                         "dependencies" => @gems.each_value.map { |spec| dependencies(spec) })
  end

  # Lines in the format of sha256sum.
  def checksums = @gems.keys.map { |path| "#{digest(path)}  #{File.basename(path)}\n" }.join

  private

  def gem(path, spec)
    component(spec.name, spec.license, "required").merge(
      "bom-ref" => identity(spec), "version" => spec.version.to_s, "description" => spec.summary,
      "purl" => "pkg:gem/#{identity(spec)}", "hashes" => [{ "alg" => "SHA-256", "content" => digest(path) }]
    )
  end

  # "spate@0.1.0", "spate@0.1.0?platform=x86_64-linux-gnu"
  def identity(spec)
    platform = spec.original_platform.to_s
    "#{spec.name}@#{spec.version}#{"?platform=#{platform}" unless platform == "ruby"}"
  end

  # Spate's gems run without libdeflate, and all but spate-server without OpenSSL.
  def library(name, licence)
    component(name, licence, name == "zlib" ? "required" : "optional").merge("bom-ref" => "library:#{name}")
  end

  def component(name, licence, scope)
    { "type" => "library", "name" => name, "scope" => scope, "licenses" => [{ "license" => { "id" => licence } }] }
  end

  def dependencies(spec)
    gems = spec.runtime_dependencies.map { |dependency| identity(closest(dependency.name, spec)) }
    libraries = LIBRARIES.select { |_, (_, users)| users.include?(spec.name) }.keys.map { |name| "library:#{name}" }
    { "ref" => identity(spec), "dependsOn" => gems + libraries }
  end

  # The gem with this name for the same platform, or its source gem.
  def closest(name, spec)
    found = @gems.each_value.select { |other| other.name == name }
    found.find { |other| other.original_platform == spec.original_platform } || found.first
  end

  def digest(path) = Digest::SHA256.file(path).hexdigest
end
