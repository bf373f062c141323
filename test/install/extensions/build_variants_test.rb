# frozen_string_literal: true

require "install/build_learning_case"

# More results for one build key than the store keeps.
class BuildVariantsTest < BuildLearningCase
  MOST = Spate::Build::Cache::Variants::MOST
  DAY = 24 * 60 * 60

  def setup
    super
    plain("value = ENV['MY_FLAVOUR']")
    @projects = (1..MOST).map { |flavour| built(flavour) }
    age
  end

  def test_least_recently_used_result_is_evicted
    assert_equal [[], %w[alpha]], flavoured(1)
    built(MOST + 1)
    assert_equal [MOST, 2 * MOST], [records.size, files.size]
    assert_equal [[], %w[alpha]], flavoured(1), "it was used later"
    assert_equal [[], %w[alpha]], flavoured(MOST + 1)
    assert_equal [%w[alpha], []], flavoured(2), "and this one was not"
    assert_equal({ "alpha" => "MY_FLAVOUR has another value" }, reasons)
    assert_equal MOST, records.size
  end

  # The result used last is checked first, even if others were used on the same day. Otherwise results for other
  # environments would be checked each time.
  def test_last_used_result_is_checked_first
    one, other, again = [1, 2, 1].map do |flavour|
      assert_equal [[], %w[alpha]], flavoured(flavour)
      records.max_by { |path| File.mtime(path) }
    end
    refute_equal one, other
    assert_equal one, again
  end

  # Evicting a result removes its record. The build is kept until no bundle uses it.
  def test_evicted_results_stay_in_their_bundles
    others = (1..MOST).map { |number| built(MOST + number) }
    assert_equal [MOST, 2 * MOST], [records.size, builds.size]
    (first = @projects.first).spate!("store", "prune", "--older-than", "0")
    @projects.each.with_index(1) do |project, flavour|
      assert_match(/nothing to do/, run_install(project, MY_FLAVOUR: flavour.to_s).first)
      refute_match(/edited|differs/, project.spate!("check"))
      assert_equal flavour.to_s, learned(project)
    end
    assert_store_clean(first)
    (@projects - [first] + others).each { |project| FileUtils.rm_rf(project.folder) }
    first.spate!("store", "prune", "--older-than", "0")
    assert_equal [[], 1], [records, builds.size]
    assert_equal "1", learned(first)
    assert_equal [%w[alpha], []], flavoured(1), "its record was removed before"
  end

  private

  def flavoured(flavour) = install(@last = another("alpha"), MY_FLAVOUR: flavour.to_s)

  def built(flavour)
    assert_equal [%w[alpha], []], flavoured(flavour)
    @last
  end

  # Changes the times of use, so that they are some days apart.
  def age
    records.sort_by { |path| File.mtime(path) }.each_with_index do |path, index|
      time = Time.now - (30 * DAY) + (index * DAY)
      File.utime(time, time, path)
    end
  end

  def files = Dir.glob("#{@last.home}/spate/store/v1/variants/*/*")
  def records = files.grep_v(/\.needs\z/)
  def builds = Dir.glob("#{@last.home}/spate/store/v1/builds/*")
end
