# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

# RubyGems 4.1 or newer and its Bundler, which know content addresses, in a folder of their own beside the machine's:
# fetched at the first use from where `gem` takes gems.
module AddressingRubygems
  HOME = File.expand_path("../../tmp/rubygems/#{RbConfig::CONFIG["ruby_version"]}", __dir__)
  NEEDS = "3.2"

  module_function

  # nil where they can be used, else why not.
  def missing
    return if Gem::Version.new(Gem::VERSION) >= "4.1.0.a"
    return "RubyGems 4.1 needs Ruby #{NEEDS}, this is #{RUBY_VERSION}" if RUBY_VERSION < NEEDS

    @missing ||= [fetch].first
  end

  # What a child needs besides its own environment. A final ":" stands for the usual folders.
  def environment
    return {} unless File.directory?(HOME)

    { "RUBYLIB" => "#{HOME}/rubygems", "GEM_PATH" => "#{HOME}:", "PATH" => "#{HOME}/bin:#{ENV.fetch("PATH")}" }
  end

  # Bundler alone, for the machine's own RubyGems.
  def bundler_alone = environment.except("RUBYLIB")

  # One test program at a time; the library's copy comes last. Answers nil, or what went wrong.
  def fetch
    FileUtils.mkdir_p(HOME)
    File.open("#{HOME}/.lock", File::RDWR | File::CREAT) do |lock|
      lock.flock(File::LOCK_EX)
      next if File.directory?("#{HOME}/rubygems")

      output, status = Open3.capture2e({ "GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYOPT" => nil, "RUBYLIB" => nil },
                                       RbConfig.ruby, "-S", "gem", "install", "rubygems-update", "bundler", "--pre",
                                       "--install-dir", HOME, "--no-document")
      status.success? ? take_library : "RubyGems 4.1 could not be fetched: #{output.lines.last}"
    end
  end
  private_class_method :fetch

  # Without the Bundler in it, which comes as a gem.
  def take_library
    library = Dir.glob("#{HOME}/gems/rubygems-update-*/lib").first
    FileUtils.mkdir_p("#{HOME}/copy")
    FileUtils.cp_r(Dir.glob("#{library}/rubygems{,.rb}"), "#{HOME}/copy")
    File.rename("#{HOME}/copy", "#{HOME}/rubygems")
    nil
  end
  private_class_method :take_library
end
