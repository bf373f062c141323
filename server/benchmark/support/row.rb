# frozen_string_literal: true

require_relative "clients"

# A row of the report: the same work for several servers, which take turns. Subclasses define the work, the units and
# the goals.
class Row
  # cost: CPU seconds per unit, or kilobytes. rate: units per second, or nil.
  Measured = Struct.new(:cost, :rate)

  # cost: upper limit; aim: a stricter, optional limit; cost_ratio: upper limit as a multiple of the reference's cost;
  # rate_ratio: lower limit as a multiple of the reference's rate.
  Goal = Struct.new(:cost, :aim, :cost_ratio, :rate_ratio, keyword_init: true)

  attr_reader :figures, :absent

  # scale: factor for the amount of work, 1 for a full run. servers: prefixes of the servers' names, nil for all.
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
  # Measurements without a server: [name, -> { Measured }].
  def floors = []

  # Returns the contenders that can run this row. Stores the reasons for the others in `absent`.
  def contenders
    @contenders ||= contestants.select do |contender|
      next unless @servers.nil? || @servers.any? { |name| contender.name.start_with?(name) }

      reason = contender.missing(workload)
      @absent[contender.name] = reason if reason
      reason.nil?
    end
  end

  # Measures each contender once.
  def round
    contenders.reject { |one| @absent.key?(one.name) }.each { |contender| turn(contender) }
    floors.each { |name, measure| keep(name, measure.call) unless @absent.key?(name) }
  end

  # Names of this project's servers whose measurement failed. Servers that this Ruby does not support (YJIT) are
  # excluded.
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

  # Returns the cost and rate of the block, which does `units` of work.
  def cost(contender, units)
    before = contender.group.seconds
    started = now
    yield
    Measured.new((contender.group.seconds - before) / units, units / (now - started))
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def url(contender, path) = "#{workload.scheme}://127.0.0.1:#{contender.port}#{path}"
end
