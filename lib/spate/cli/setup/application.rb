# frozen_string_literal: true

module Spate
  module CLI
    class Setup < Command
      # Offers the changes to the files of a Rails application (RailsFiles). Writes a file only if the user agrees on
      # a terminal, or with --yes.
      class Application
        # Returns the root of the Rails application of a Context, or nil.
        def self.root(context)
          root = context.location.root
          root if File.file?(File.join(root, "config/application.rb"))
        rescue Gemfile::NotFound
          nil
        end

        # record: Record. input: the stream for answers.
        def initialize(root, values, terminal, record, input: $stdin)
          @root = root
          @values = values
          @terminal = terminal
          @record = record
          @input = input
        end

        def run
          changes = RailsFiles.changes(@root)
          return if changes.empty?
          return changes.each { |change| show(change, @terminal.out) } if @values[:dry_run]

          wanted = changes.select { |change| wanted?(change) }
          wanted.each { |change| write(change) }
          hint(changes) unless @values[:yes] || interactive?
        end

        # Restores the files as they were before `run`. Returns the paths of files that were edited since.
        def undo
          changes = @record.changes(@root)
          edited, rest = changes.partition(&:edited?)
          rest.select(&:written?).each { |change| restore(change) }
          @record.forget(@root, rest) unless @values[:dry_run]
          report_unrecorded if changes.empty? && RailsFiles.boots_with_spate?(@root)
          edited.map(&:path)
        end

        private

        def interactive? = !@values[:json] && @input.tty? && @terminal.live?

        def wanted?(change)
          return false unless @values[:yes] || interactive?

          show(change, @terminal.err) unless @values[:json] || @values[:quiet]
          return true if @values[:yes]

          @terminal.err.print "Write this change to #{change.path}? [y/N] "
          @input.gets.to_s.match?(/\Ay(es)?\s*\z/i)
        end

        COLORS = { "+" => :green, "-" => :red, "@" => :cyan }.freeze

        def show(change, stream)
          return event(:setup_change, change, written: false, diff: change.diff) if @values[:json]

          paint = @terminal.method(stream.equal?(@terminal.out) ? :paint_data : :paint)
          change.diff.each_line(chomp: true) do |line|
            color = COLORS[line[0]]
            stream.puts(color ? paint.call(line, color) : line)
          end
        end

        # The file may have been edited while the user was asked.
        def write(change)
          return keep(change) if change.edited_before?

          @record.add(change)
          change.write
          @values[:json] ? event(:setup_change, change, written: true) : @terminal.info("wrote #{change.path}")
        end

        def keep(change)
          @terminal.warning("#{change.path} was edited in the meantime, so kept", hint: "run `spate setup` again")
        end

        def restore(change)
          return show(change.reverse, @terminal.out) if @values[:dry_run]

          change.reverse.write
          @values[:json] ? event(:setup_undone, change) : @terminal.info("restored #{change.path}")
        end

        # The application was moved since `spate setup`, or another user ran it.
        def report_unrecorded
          @terminal.warning("config/boot.rb uses Spate, but no change to #{@root} is recorded",
                            hint: "restore the application's files from git, or remove Spate's lines (docs/rails.md)")
        end

        def event(name, change, **more)
          Util::JsonLines.new(@terminal.out).call(event: name, path: change.path, **more)
        end

        def hint(changes)
          return changes.each { |change| event(:setup_change, change, written: false) } if @values[:json]

          @terminal.info("this Rails application can use Spate in #{changes.map(&:path).join(", ")}")
          @terminal.hint("`spate setup --dry-run` prints the changes, `spate setup --yes` writes them")
        end
      end
    end
  end
end
