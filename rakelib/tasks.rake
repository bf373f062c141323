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
  %w[spate-bytes.gemspec spate.gemspec spate-server.gemspec].each do |gemspec|
    puts StrictBuild.new(gemspec, arguments[:folder] || "pkg").call(Spate::VERSION)
  end
end
