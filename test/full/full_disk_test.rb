# frozen_string_literal: true

require "install/dozen_case"

# An install fails with a hint when the disk with the store or the bundle is full, at each step in turn. It succeeds
# when there is space.
class FullDiskTest < DozenCase
  STEP = 32 * 1024

  def test_under_the_store = fill { |project| "#{project.home}/spate" }
  def test_under_the_bundle = fill { |project| project.path("vendor") }

  private

  # Provides the space of one more step each time, until the install fits.
  def fill
    reference
    (1..40).each do |number|
      project = dozen("app#{number}", home: "home#{number}")
      path = mount(yield(project), "size=#{STEP * number}")
      break if fits?(project)

      system("mount", "-o", "remount,size=50m", path, exception: true)
      assert_installs(project, *@full_names)
      assert_right(project)
      assert_store_clean(project)
    end
  end

  def fits?(project)
    output, status = run_install(project)
    return assert_right(project) || true if status.success?

    # Exit code 10 if the compiler or make runs out of space.
    assert_includes [9, 10], status.exitstatus, output
    assert_match(/^hint: \S/, output)
    refute_match(/bug in Spate/, output)
    false
  end
end
