# frozen_string_literal: true

# Changes valid bytes in a few random steps.
class Mutation
  NUMBERS = ["0", "-1", "1", "00", "255", "65536", "99999999", "4294967296", "99999999999999999999"].freeze
  BYTES = ["\0", "\xff", "\x80", "\n", "\t", "\\", "/", "..", "%", "\e[2J", "\u{2028}"].map(&:b).freeze
  # The maximum size of a result.
  MOST = 1 << 20

  def initialize(random)
    @random = random
  end

  # Returns one of the seeds (Strings) after a few changes, which may insert parts of other seeds.
  def of(seeds)
    bytes = seeds.sample(random: @random).b
    @random.rand(1..4).times { bytes = step(bytes, seeds) }
    bytes.byteslice(0, MOST)
  end

  private

  def step(bytes, seeds)
    case @random.rand(8)
    when 0 then bytes.byteslice(0, at(bytes))
    when 1 then flip(bytes)
    when 2 then put(bytes, BYTES.sample(random: @random), @random.rand(3))
    when 3 then number(bytes)
    when 4 then put(bytes, piece(bytes), 0)
    when 5 then put(bytes, piece(seeds.sample(random: @random).b), @random.rand(64))
    when 6 then bytes.byteslice(0, from = at(bytes)) + bytes.byteslice(from + @random.rand(40)..).to_s
    else put(bytes, BYTES.sample(random: @random) * @random.rand(300), 0)
    end
  end

  def at(bytes) = @random.rand(bytes.bytesize + 1)

  def flip(bytes)
    return bytes if bytes.empty?

    bytes.tap { |copy| copy.setbyte(@random.rand(copy.bytesize), @random.rand(256)) }
  end

  # Replaces `instead` bytes at a random position.
  def put(bytes, text, instead)
    from = at(bytes)
    bytes.byteslice(0, from) + text + bytes.byteslice(from + instead..).to_s
  end

  def number(bytes)
    places = bytes.enum_for(:scan, /\d+/n).map { Regexp.last_match.offset(0) }
    return bytes if places.empty?

    from, to = places.sample(random: @random)
    bytes.byteslice(0, from) + NUMBERS.sample(random: @random) + bytes.byteslice(to..)
  end

  def piece(bytes)
    from = at(bytes)
    bytes.byteslice(from, @random.rand(200))
  end
end
