# frozen_string_literal: true

require "test_helper"
require "support/boot_edits"

module Spate
  # A boot, an edit, and the next boot. With each part of Spate alone and with all parts, it must behave like plain Ruby
  # in the same state.
  class BootMatrixCase < Minitest::Test
    PARTS = [:load_path_cache, :bundle, :replay, nil].freeze
    # The line of an error that contains the command instead of the cause.
    WHO = /\Abundler: failed to load command.*\n/

    private

    # names: of BootEdits::ALL, made in this order. again: also boots after a rebuild.
    def edited(*names, parts: PARTS, again: false)
      project = BootGems.project(File.join(folder, "app#{@projects = @projects.to_i + 1}"))
      project.warm
      start = names.map { |name| BootEdits::ALL.fetch(name).call(project) }.grep(Hash).reduce({}) { |a, b| join(a, b) }
      oracle = boot(project, :plain, start)
      parts.each { |part| assert_same oracle, boot(project, :spate, start, part: part), "#{names}, #{part || "all"}" }
      return unless again

      boot(project, :spate, start, readonly: false)
      project.settle
      assert_same oracle, boot(project, :spate, start), "#{names}, rebuilt"
    end

    def join(one, other)
      { env: one[:env].to_h.merge(other[:env].to_h), arguments: other[:arguments] || one[:arguments],
        chdir: other[:chdir] || one[:chdir] }
    end

    def boot(project, way, start, **options)
      options[:chdir] = start[:chdir] if start[:chdir]
      project.public_send(way, *start[:arguments], **options, **start[:env].to_h.transform_keys(&:to_sym))
    end

    def assert_same(expected, found, what)
      return assert_incomplete(found, what) if expected.err.match?(/\(Bundler::GemNotFound\)/)
      return assert_unreadable(expected, found, what) if expected.err.match?(/^\[!\] There was an error parsing/)

      assert_equal [expected.code, expected.out], [found.code, found.out], "#{what}\n#{found.err}\n#{found.facts}"
      assert_equal told(expected.err), told(found.err), what
    end

    # Asserts Spate's error for an incomplete bundle. In this case Bundler raises an exception.
    def assert_incomplete(found, what)
      assert_equal [11, ""], [found.code, found.out], "#{what}\n#{found.err}"
      assert_match(/^error: .*of the bundle missing\n(?:  \S+\n)+hint: spate install\n\z/, found.err, what)
    end

    # Asserts an error in the Gemfile with Bundler's text.
    def assert_unreadable(expected, found, what)
      assert_equal [4, ""], [found.code, found.out], "#{what}\n#{found.err}"
      words = [expected.err[/^\[!\].*^ +# +-+\n.*^ +# +-+$/m].to_s, found.err].map { |text| text.lines.map(&:strip) }
      assert_operator words.first.size, :>, 4, expected.err
      assert_empty words.first - words.last - [""], what
    end

    # The stderr of a boot. Leaves out backtrace lines, because those of Bundler's own files differ.
    def told(text)
      text.gsub(WHO, "").lines.grep_v(/^\s+from |^\S+:\d+:in /).join
    end
  end
end
