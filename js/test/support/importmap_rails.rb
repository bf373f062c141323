# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"

# The real importmap-rails, without Rails: the output of `bin/importmap pin`, and the pins whose version it finds.
module ImportmapRails
  HOME = File.expand_path("../../../tmp/importmap-rails", __dir__)
  # Pins its arguments, name=address, without downloading. Prints the pins with a version.
  SCRIPT = <<~'RUBY'
    require "fileutils"
    require "set"
    module Importmap; end
    %w[map packager npm].each { |name| require "importmap/#{name}" }
    answer = Struct.new(:code, :body).new("200", "export {}\n")
    Net::HTTP.define_singleton_method(:get_response) { |_| answer }
    packager = Importmap::Packager.new
    ARGV.each do |pair|
      name, address = pair.split("=", 2)
      packager.download(name, address)
      File.write("config/importmap.rb", packager.vendored_pin_for(name, address) + "\n", mode: "a")
    end
    puts JSON.generate(Importmap::Npm.new.packages_with_versions)
  RUBY

  module_function

  # Returns the lib folder of importmap-rails. Installs the gem below tmp/ first if it is missing. Returns nil if that
  # fails.
  def folder
    found = -> { Dir.glob("#{HOME}/gems/importmap-rails-*/lib").max }
    found.call || (install && found.call)
  end

  def install
    _, status = Open3.capture2e({ "GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYOPT" => nil },
                                RbConfig.ruby, "-S", "gem", "install", "importmap-rails", "--ignore-dependencies",
                                "--no-document", "--install-dir", HOME)
    status.success?
  end
  private_class_method :install

  # Adds pins { name => address } to the application. Returns [[base package, version]] of all its pins.
  def pin(root, pins = {})
    pairs = pins.map { |pair| pair.join("=") }
    out, status = Open3.capture2(RbConfig.ruby, "-I", folder, "-e", SCRIPT, *pairs, chdir: root)
    raise "importmap-rails failed" unless status.success?

    JSON.parse(out.lines.last)
  end
end
