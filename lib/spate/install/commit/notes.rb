# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # Lines `key<TAB>value` in the bundle's record, written by an install for the next one. Lines of other projects in
      # the same folder are kept.
      #
      # git:: names of complete checkouts
      # unfit:: full names of packages incompatible with this Ruby or RubyGems
      # check:: for each project, the key of its stored Gemfile check, followed by a space and the project's folder
      # built:: for each build in a checkout, the checkout's name, a space, and the key of the build in the store
      Notes = Struct.new(:git, :unfit, :check, :built) do
        def self.parse(text)
          notes = new([], [], [], [])
          text.to_s.each_line(chomp: true) do |line|
            key, value = line.split("\t", 2)
            notes[key] << value if value && members.include?(key.to_sym)
          end
          notes
        end

        # names: this project's complete checkouts. folder: of all checkouts. A name with spaces means a checkout in a
        # project's vendor/cache (VendoredGit#sign).
        def keep_git(names, folder)
          own = names.map { |name| name[/\S+/] }
          kept = git.select do |name|
            next names.include?(name) if own.include?(name[/\S+/])

            name.include?(" ") || File.directory?("#{folder}/#{name}")
          end
          self.git = kept | names
        end

        def keep_check(key, app)
          app = Store::Text.path(app)
          others = check.select { |line| (other = line[/ (.+)/, 1]) && other != app && File.directory?(other) }
          self.check = ["#{key} #{app}", *others]
        end

        # Keys of this project.
        def checks(app)
          ending = " #{Store::Text.path(app)}"
          check.filter_map { |line| line.delete_suffix(ending) if line.end_with?(ending) }
        end

        # lines: of checkouts with builds of this run. Lines of other existing checkouts are kept.
        def keep_built(lines)
          anew = lines.map { |line| line[/\S+/] }
          self.built = lines + built.select { |line| (git - anew).include?(line[/\S+/]) }
        end

        def to_s = members.flat_map { |key| self[key].map { |value| "#{key}\t#{value}\n" } }.join
      end
    end
  end
end
