# frozen_string_literal: true

require_relative "inputs_case"

module Spate
  # Random trees, inputs and changes, compared with plain Ruby before and after. Every change must be reported, and
  # nothing if inputs are unchanged.
  class InputsRandomTest < InputsCase
    CASES = ENV["SPATE_TEST_FULL"] ? 3_000 : 150
    NAMES = %w[a b c].freeze
    # Kinds of inputs for which a change may be reported although the result is the same: a dangling link replaces a
    # missing file, or a link on the path gets another missing target.
    COARSE = %i[absent link].freeze

    def test_every_change_is_reported_and_nothing_else
      @random = Random.new(Spate.test_seed)
      changed = 0
      CASES.times do |number|
        plant
        sleep 0.025 if @random.rand(3).zero?
        inputs = Array.new(12) { input }.compact.uniq
        record(*inputs)
        before = inputs.map { |kind, path| seen(kind, path) }
        change(inputs)
        differing = inputs.zip(before).reject { |(kind, path), state| seen(kind, path) == state }.map(&:first)
        changed += 1 if differing.any?
        judge(number, inputs, differing)
      end
      assert_operator changed, :>, CASES / 20
    end

    private

    def judge(number, inputs, differing)
      answer = check
      context = "case #{number} of seed #{Spate.test_seed}: #{answer.inspect}, #{inputs.inspect}, #{differing.inspect}"
      if differing.any?
        assert_kind_of Array, answer, context
      elsif answer.is_a?(Array)
        assert_includes COARSE, answer.last, context
      end
    end

    def path = File.join(bundle, *Array.new(@random.rand(1..3)) { NAMES.sample(random: @random) })

    def plant
      FileUtils.rm_rf(bundle)
      FileUtils.mkdir_p(bundle)
      15.times { grow(path) }
    end

    # Creates a folder, link or file at the path, if the existing paths allow it.
    def grow(path)
      case @random.rand(4)
      when 0 then FileUtils.mkdir_p(path)
      when 1 then File.symlink(NAMES.sample(random: @random), path)
      else File.write(path, @random.rand(10).to_s)
      end
    rescue SystemCallError
      nil
    end

    def change(inputs)
      target = @random.rand(4).zero? ? path : inputs.map(&:last).push(path).sample(random: @random)
      case @random.rand(6)
      when 0 then FileUtils.rm_rf(target)
      when 1 then File.chmod([0o600, 0o644, 0o755].sample(random: @random), target)
      when 2 then FileUtils.touch(target) if File.exist?(target)
      when 3 then rewrite(target)
      when 4 then File.rename(path, target)
      else grow(target)
      end
    rescue SystemCallError, ArgumentError
      nil
    end

    # Changes the content, but neither mtime nor size.
    def rewrite(target)
      return unless File.file?(target)

      stat = File.stat(target)
      File.write(target, @random.rand(10).to_s)
      File.utime(stat.atime, stat.mtime, target)
    end

    def input
      at = path
      kind = %i[file looked listed absent link].sample(random: @random)
      [kind, at] if possible?(kind, at)
    end

    def possible?(kind, path)
      case kind
      when :file then File.exist?(path)
      when :looked then !loops?(path)
      when :listed then File.directory?(path)
      when :link then File.symlink?(path)
      else !File.exist?(path) && !loops?(path)
      end
    end

    def loops?(path)
      File.stat(path) && false
    rescue Errno::ELOOP
      true
    rescue SystemCallError
      false
    end

    def seen(kind, path)
      case kind
      when :link then File.readlink(path)
      when :listed then Dir.children(path).sort.map { |name| [name, File.lstat("#{path}/#{name}").ftype] }
      when :file then File.file?(path) ? [File.read(path), File.stat(path).mode & 0o700] : File.stat(path).mode
      else looked(path)
      end
    rescue SystemCallError => e
      e.class
    end

    def looked(path)
      stat = File.stat(path)
      [stat.mode, stat.file? ? stat.size : nil]
    rescue Errno::ENOENT, Errno::ENOTDIR
      nil
    end
  end
end
