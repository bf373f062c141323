# frozen_string_literal: true

desc "Write docs/commands.md from the commands' own help"
task :docs do
  require_relative "../test/support/command_pages"
  File.write("docs/commands.md", CommandPages.text)
end

desc "Write the documents as a site that opens from files, into tmp/site or another folder"
task :site, [:folder] do |_, arguments|
  require_relative "site"
  folder = arguments[:folder] || "tmp/site"
  puts "#{Site.new(File.expand_path("..", __dir__), folder).write} pages: #{folder}/index.html"
end
