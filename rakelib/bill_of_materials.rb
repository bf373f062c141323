# frozen_string_literal: true

require "digest"
require "json"
require "rubygems/package"

# Lists the gems of a release, their dependencies and the libraries that they link against, as a CycloneDX document.
class BillOfMaterials
  # System libraries, found when a gem is compiled: { name => [licence, gems that link against it] }
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
      "bom-ref" => reference(spec.name), "version" => spec.version.to_s, "description" => spec.summary,
      "purl" => "pkg:gem/#{spec.name}@#{spec.version}", "hashes" => [{ "alg" => "SHA-256", "content" => digest(path) }]
    )
  end

  # Spate's gems run without libdeflate, and all but spate-server without OpenSSL.
  def library(name, licence)
    component(name, licence, name == "zlib" ? "required" : "optional").merge("bom-ref" => reference(name))
  end

  def component(name, licence, scope)
    { "type" => "library", "name" => name, "scope" => scope, "licenses" => [{ "license" => { "id" => licence } }] }
  end

  def dependencies(spec)
    names = spec.runtime_dependencies.map(&:name) + LIBRARIES.select { |_, (_, users)| users.include?(spec.name) }.keys
    { "ref" => reference(spec.name), "dependsOn" => names.map { |name| reference(name) } }
  end

  def reference(name)
    spec = @gems.each_value.find { |found| found.name == name }
    spec ? "#{name}@#{spec.version}" : "system:#{name}"
  end

  def digest(path) = Digest::SHA256.file(path).hexdigest
end
