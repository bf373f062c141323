# frozen_string_literal: true

require "support/boot_edits"

module Spate
  # Makes random edits of a BootGems project: of files, folders and links of its gems and of the application, the
  # lockfile, the Gemfile, and times. The same seed results in the same edits.
  class BootRandomEdits
    FILES = ["#{BootEdits::ALPHA}/alpha/part.rb", "#{BootEdits::ALPHA}/alpha/lazy.rb", "#{BootEdits::BETA}/shadow.rb",
             "#{BootEdits::BETA}/beta/part.rb", "#{BootEdits::DELTA}/shadow.rb", "#{BootEdits::DELTA}/delta.rb",
             "#{BootEdits::ALPHA}/alpha/option.rb", "#{BootEdits::BETA}/alpha/option.rb", "app/part.rb",
             "app/loaded.rb", "gamma/lib/gamma.rb", "extra/extra.rb", "extra/shadow.rb"].freeze
    KINDS = %i[rewrite rewrite_keeping_times remove rename_to link_to folder_for touch swap_folders lock group].freeze

    def initialize(project, random)
      @project = project
      @random = random
      @contents = FILES.to_h { |file| [file, File.exist?(path(file)) ? File.read(path(file)) : text(file)] }
      @links = 0
    end

    # Makes one edit, and returns its description.
    def step
      kind = KINDS.sample(random: @random)
      file = FILES.sample(random: @random)
      send(kind, file)
      "#{kind} #{file}"
    end

    private

    def path(file) = @project.path(file)

    # The content of files that only edits create.
    def text(file)
      return "module Alpha\n  OPTION = 1\nend\n" if file.end_with?("option.rb")

      "SHADOW = 1\n"
    end

    # Changes a number, adds lines, or sometimes a syntax error.
    def content(file)
      text = @contents[file].gsub(/\b\d\d?\b/) { @random.rand(10..99).to_s }
      text = "#{"# line\n" * @random.rand(3)}#{text}" if @random.rand(3).zero?
      @random.rand(12).zero? ? "#{text}end\n" : text
    end

    def clear(file)
      FileUtils.rm_rf(path(file))
      FileUtils.mkdir_p(File.dirname(path(file)))
    end

    def rewrite(file)
      clear(file) unless File.file?(path(file)) && @random.rand(2).zero?
      File.write(path(file), content(file))
    end

    def rewrite_keeping_times(file)
      before = File.file?(path(file)) ? File.mtime(path(file)) : Time.at(1_600_000_000)
      rewrite(file)
      File.utime(before, before, path(file))
    end

    def remove(file) = FileUtils.rm_rf(path(file))

    def rename_to(file)
      other = FILES.sample(random: @random)
      return unless File.file?(path(file)) && other != file

      clear(other)
      File.rename(path(file), path(other))
    end

    def link_to(file)
      target = path("targets/#{@links += 1}.rb")
      FileUtils.mkdir_p(File.dirname(target))
      File.write(target, content(file))
      clear(file)
      File.symlink(@random.rand(4).zero? ? "#{target}-gone" : target, path(file))
    end

    def folder_for(file)
      clear(file)
      FileUtils.mkdir_p(path(file))
    end

    def touch(file)
      File.utime(Time.now, Time.at(@random.rand(1_600_000_000..1_700_000_000)), path(file)) if File.exist?(path(file))
    end

    # Swaps a folder with a copy in which one file may differ.
    def swap_folders(file)
      folder = File.dirname(path(file))
      return unless File.directory?(folder) && folder.include?("/lib/")

      FileUtils.rm_rf("#{folder}-copy")
      FileUtils.cp_r(folder, "#{folder}-copy", preserve: true)
      inside = "#{folder}-copy/#{File.basename(file)}"
      File.write(inside, content(file)) if File.file?(inside) && @random.rand(2).zero?
      File.rename(folder, "#{folder}-away")
      File.rename("#{folder}-copy", folder)
      FileUtils.rm_rf("#{folder}-away")
    end

    def lock(_) = @project.write("Gemfile.lock", BootGems.lockfile(alpha: %w[1.0 1.1].sample(random: @random)))

    def group(_)
      text = BootGems::GEMFILE.sub(":tools", [":tools", ":other", ":default"].sample(random: @random))
      @project.write("Gemfile", text)
    end
  end
end
