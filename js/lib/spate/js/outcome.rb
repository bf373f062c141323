# frozen_string_literal: true

module Spate
  module JS
    # The result of a restore, for the steps after its packages are in place: scripts, and the package manager's state
    # files.
    #
    # facts:: { path of a tree, or of a project (".") => Facts }
    # asking:: keys of trees that have scripts, run or not
    # built:: keys of trees whose scripts ran, now or before
    # pending:: keys of trees whose scripts were not allowed to
    # deferred:: where scripts are ignored: [folders of projects that have some, keys of trees that have]; else nil
    # skipped:: keys of optional packages that could not be had, or built; those the plan skipped are not among them
    # builds:: keys in the store of what scripts made when they last ran, now or before
    # now:: Time of this restore
    # root:: the project's folder
    # store_root:: the store's folder
    Outcome = Struct.new(:facts, :asking, :built, :pending, :deferred, :skipped, :builds, :now, :root, :store_root,
                         keyword_init: true) do
      def initialize(facts: {}, asking: [], built: [], pending: [], skipped: [], builds: [], now: Time.now, **) = super
    end
  end
end
