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

desc "Write the public Ruby API as HTML into tmp/doc or another folder (gem yard); any of its warnings fails"
task :doc, [:folder] do |_, arguments|
  require_relative "api_docs"
  folder = File.expand_path(arguments[:folder] || "tmp/doc")
  APIDocs.new(File.expand_path("..", __dir__)).write(folder)
  puts "#{folder}/index.html"
rescue APIDocs::Missing => e
  abort "rake doc: #{e.message}"
end
