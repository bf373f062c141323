# frozen_string_literal: true

desc "Build the extensions (bin/compile)"
task(:compile) { ruby "bin/compile" }

desc "Run every test (bin/test)"
task(:test) { sh "bin/test" }

desc "Check the style"
task(:style) { sh "rubocop" }

desc "Build the gems into pkg/, or another folder; any warning but one fails (rakelib/strict_build.rb)"
task :package, [:folder] do |_, arguments|
  require_relative "strict_build"
  require_relative "../lib/spate/version"
  %w[spate-bytes.gemspec spate.gemspec spate-js.gemspec spate-server.gemspec].each do |gemspec|
    puts StrictBuild.new(gemspec, arguments[:folder] || "pkg").call(Spate::VERSION)
  end
end

desc "Build the gems into pkg/ and try them in an empty GEM_HOME; then: git tag, gem push"
task :release, [:folder] do |_, arguments|
  require_relative "release"
  release = Release.new(File.expand_path("..", __dir__), arguments[:folder] || "pkg")
  gems = release.call { |line| puts line }
  next puts "not to be tagged yet: no date in #{release.undated.join(", ")}" if release.undated.any?

  puts "ready: git tag -s v#{Spate::VERSION}, then gem push #{gems.map { |path| File.basename(path) }.join(", ")}"
end
