# frozen_string_literal: true

require "test_helper"

module Spate
  class PackagesTest < Minitest::Test
    # { real output of gems and compilers => [missing file or program, its package on Debian] }
    LOGS = {
      "pg_ext.h:1:10: fatal error: libpq-fe.h: No such file or directory" => %w[libpq-fe.h libpq-dev],
      "Unable to find PostgreSQL client library.\nchecking for libpq-fe.h... no" => %w[libpq-fe.h libpq-dev],
      "yaml.h:1: fatal error: 'yaml.h' file not found" => %w[yaml.h libyaml-dev],
      "/usr/bin/ld: cannot find -lmysqlclient: No such file or directory" => %w[mysqlclient default-libmysqlclient-dev],
      "ld: library not found for -lssl" => %w[ssl libssl-dev],
      "checking for SSL_new() in -lssl... no\nchecking for main() in -lz... no" => %w[ssl libssl-dev],
      "sh: 1: make: not found" => %w[make make],
      "make: g++: No such file or directory" => %w[g++ g++],
      "/bin/sh: line 1: cmake: command not found" => %w[cmake cmake],
      "cargo failedNo such file or directory - cargo" => %w[cargo cargo],
      "mkmf.rb can't find header files for ruby at /usr/lib/ruby/include/ruby.h" => %w[ruby.h ruby-dev],
      "zlib is missing; necessary for building libxml2\nchecking for zlib.h... no" => %w[zlib.h zlib1g-dev],
      "Can't install RMagick. Can't find MagickWand.h." => %w[MagickWand.h libmagickwand-dev],
      "ERROR: Can't install RMagick 6.3.0.\nCan't find the ImageMagick library or one of the dependent libraries." =>
        %w[ImageMagick libmagickwand-dev],
      "Can't find libcurl or curl/curl.h" => %w[curl/curl.h libcurl4-openssl-dev],
      "checking for magic.h... no" => %w[magic.h libmagic-dev]
    }.freeze

    def test_missing_things_are_found_in_logs
      LOGS.each do |log, (what, package)|
        missing = Build::Failure::Packages.find(log)

        refute_nil missing, log
        assert_equal [what, package], [missing.what, missing.packages[:debian]], log
      end
    end

    def test_unclear_logs_give_no_package
      ["", "error: expected ';' before '}'", "undefined reference to `pg_config_x'", "checking for strlcpy()... no",
       "checking for my_own.h... no", "all files found", "cannot find -lours"].each do |log|
        assert_nil Build::Failure::Packages.find(log), log
      end
    end

    def test_hint_is_for_this_system
      missing = Build::Failure::Packages.find("fatal error: yaml.h: No such file or directory")

      assert_equal "install libyaml-dev, which contains yaml.h: apt-get install libyaml-dev", missing.hint(:debian)
      assert_equal "install libyaml, which contains yaml.h: brew install libyaml", missing.hint(:brew)
      assert_match(/libyaml-dev on Debian and Ubuntu, libyaml-devel on Fedora and RHEL, yaml-dev on Alpine/,
                   missing.hint(nil))
    end

    def test_systems_by_their_release_file
      { "ID=ubuntu\nID_LIKE=debian\n" => :debian, "ID=debian\n" => :debian,
        "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n" => :fedora,
        "NAME=\"Alpine\"\nID=alpine\n" => :alpine, "ID=plan9\n" => nil }.each do |text, system|
        found = Build::Failure::Packages.system(release: write("release", text), platform: "x86_64-linux")

        system ? assert_equal(system, found) : assert_nil(found)
      end
      assert_equal :brew, Build::Failure::Packages.system(platform: "arm64-darwin23")
      assert_nil Build::Failure::Packages.system(release: "/nowhere", platform: "x86_64-linux")
    end

    def test_every_row_is_complete
      Build::Failure::Packages::TABLE.each { |what, names| assert_equal 4, names.size, what }
    end
  end
end
