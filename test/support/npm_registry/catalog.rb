# frozen_string_literal: true

module NpmRegistry
  # What a registry has: packages by name and version.
  class Catalog
    PUBLISHED = "2020-01-02T03:04:05.000Z"

    def initialize
      @packages = Hash.new { |packages, name| packages[name] = {} }
      @mutex = Mutex.new
    end

    def add(package)
      @mutex.synchronize { @packages[package.name][package.version] = package }
    end

    def remove(name, version) = @mutex.synchronize { @packages[name].delete(version) }

    def fetch(name, version) = @mutex.synchronize { @packages.fetch(name).fetch(version) }

    # The bytes of an archive, nil if there is none of that name.
    def archive(name, file)
      @mutex.synchronize { @packages.fetch(name, {}).each_value.find { |package| package.file == file }&.archive }
    end

    # All that a registry says of a package, nil if it has none of that name. The latest is the last one added. The
    # block answers an archive's address.
    def document(name, &address)
      versions = @mutex.synchronize { @packages.fetch(name, {}).dup }
      return if versions.empty?

      { "_id" => name, "name" => name, "dist-tags" => { "latest" => versions.keys.last }, "modified" => PUBLISHED,
        "time" => versions.transform_values { PUBLISHED }.merge("created" => PUBLISHED, "modified" => PUBLISHED),
        "versions" => versions.transform_values { |package| package.entry(address.call(package)) } }
    end
  end
end
