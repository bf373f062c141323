# frozen_string_literal: true

require "install/dozen_case"

# Many installs at the same time, into one store or into one bundle, all succeed with the right files.
class ConcurrencyTest < DozenCase
  def test_two_concurrent_installs
    together(Array.new(2) { |number| dozen("app#{number}") })
    together([dozen] * 2, fresh: true)
  end

  def test_eight_concurrent_installs
    together([dozen] * 8)
    together(Array.new(4) { |number| dozen("app#{number}") } * 2, fresh: true)
  end

  private

  # Installs all projects at the same time. fresh: whether the store is empty.
  def together(projects, fresh: false)
    reference
    File.rename("#{folder}/home/spate", "#{folder}/store-before") if fresh
    started = projects.each_with_index.map do |project, number|
      log = File.join(folder, "log#{number}")
      [start(project, log: log), log]
    end
    started.each { |pid, log| assert_predicate wait(pid), :success?, File.read(log) }

    projects.uniq.each { |project| assert_right(project) }
    assert_store_clean(projects.first)
  end
end
