# frozen_string_literal: true

require_relative "clients"

# One comparison: the same work for several servers, in turns. A kind of row says what is measured, in which units, and
# what is to be reached.
class Row
  # cost: CPU seconds per unit, or kilobytes; the first thing to compare. rate: units a second, nil without.
  Measured = Struct.new(:cost, :rate)

  # most of the cost, as a number (and one to aim at) or as a multiple of the reference's; least of the rate, as a
  # multiple.
  Goal = Struct.new(:cost, :aim, :cost_ratio, :rate_ratio, keyword_init: true)

  attr_reader :figures, :absent

  # scale: of the work, 1 in a whole run. servers: how the names begin of those that have a part, nil for all.
  def initialize(folder, scale: 1.0, servers: nil)
    @folder = folder
    @servers = servers
    @scale = scale
    @figures = Hash.new { |hash, name| hash[name] = { cost: [], rate: [] } }
    @absent = {}
    @failed = []
  end

  def key = self.class.name.gsub(/(?<=[a-z0-9])(?=[A-Z])/, "-").downcase
  def runs(wanted) = wanted
  def goal = nil
  def reference = nil
  def rate_unit = nil
  # Measurements that need no server: [name, -> { Measured }].
  def floors = []

  # Which contenders have a part in it, the reason beside each other one's name.
  def contenders
    @contenders ||= contestants.select do |contender|
      next unless @servers.nil? || @servers.any? { |name| contender.name.start_with?(name) }

      reason = contender.missing(workload)
      @absent[contender.name] = reason if reason
      reason.nil?
    end
  end

  # Everybody's turn, once.
  def round
    contenders.reject { |one| @absent.key?(one.name) }.each { |contender| turn(contender) }
    floors.each { |name, measure| keep(name, measure.call) unless @absent.key?(name) }
  end

  # Names of ours that should have been measured and were not; what cannot be here (YJIT) is none.
  def failed = @failed.grep(/spate/)

  private

  def workload = @workload ||= Workload.new(folder: @folder, **work)

  def turn(contender)
    contender.start(workload, File.join(@folder, "#{contender.name.tr(" ,", "--")}.log"))
    keep(contender.name, measure(contender))
  rescue StandardError => e
    @failed << contender.name
    @absent[contender.name] = "failed: #{e.message.lines.first.to_s.strip}"
  ensure
    contender.stop
  end

  def keep(name, measured)
    @figures[name][:cost] << measured.cost
    @figures[name][:rate] << measured.rate if measured.rate
  end

  # Work done in the block, in units; answers its cost and rate.
  def cost(contender, units)
    before = contender.group.seconds
    started = now
    yield
    Measured.new((contender.group.seconds - before) / units, units / (now - started))
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def url(contender, path) = "#{workload.scheme}://127.0.0.1:#{contender.port}#{path}"
end
