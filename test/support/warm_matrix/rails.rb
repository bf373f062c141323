# frozen_string_literal: true

# rubocop:disable Layout/LineLength -- a table

module Spate
  class WarmMatrix
    # Inputs of Rails itself, and files that a command loads later. Values are evaluated by the command, after the boot.
    module Rails
      CLASS = "class MatrixThing\n  def self.value = %d\nend\n"
      # {name: [Ruby, {path => text before, or nil}, {path => text after, or nil}]}
      CASES = {
        "an initializer" => ["$i1", { "config/initializers/zz_1.rb" => "$i1 = 1\n" }, { "config/initializers/zz_1.rb" => "$i1 = 2\n" }],
        "a new initializer" => ["$i2", {}, { "config/initializers/zz_2.rb" => "$i2 = 2\n" }],
        "an initializer that was removed" => ["$i3", { "config/initializers/zz_3.rb" => "$i3 = 1\n" }, { "config/initializers/zz_3.rb" => nil }],
        "a new initializer in a folder" => ["$i4", {}, { "config/initializers/zz/four.rb" => "$i4 = 2\n" }],
        "routes" => ["Rails.application.routes.url_helpers.respond_to?(:added_path)", {},
                     { "config/routes.rb" => "Rails.application.routes.draw { resources :notes; get '/added', to: 'notes#index' }\n" }],
        "a locale" => ["I18n.t(:matrix)", { "config/locales/matrix.en.yml" => "en:\n  matrix: one\n" },
                       { "config/locales/matrix.en.yml" => "en:\n  matrix: two\n" }],
        "a new locale" => ["I18n.t(:matrix, locale: :de)", {}, { "config/locales/matrix.de.yml" => "de:\n  matrix: zwei\n" }],
        "an environment" => ["$e1", { "config/environments/development.rb" => "$e1 = 1\n" },
                             { "config/environments/development.rb" => "$e1 = 2\n" }],
        "database.yml" => ["Rails.application.config.database_configuration", { "config/database.yml" => "development:\n  pool: 1\n" },
                           { "config/database.yml" => "development:\n  pool: 2\n" }],
        "config_for" => ["Rails.application.config_for(:late)", { "config/late.yml" => "shared:\n  a: 1\n" },
                         { "config/late.yml" => "shared:\n  a: 2\n" }],
        "a library that is loaded later" => ["load 'late_library.rb'; $l1", { "lib/late_library.rb" => "$l1 = 1\n" },
                                             { "lib/late_library.rb" => "$l1 = 2\n" }],
        "a library that is required later" => ["require 'late_required'; $l2", { "lib/late_required.rb" => "$l2 = 1\n" },
                                               { "lib/late_required.rb" => "$l2 = 2\n" }],
        "a new library that is required later" => ["$l3 = nil; (require 'late_new' rescue LoadError); $l3", {},
                                                   { "lib/late_new.rb" => "$l3 = 2\n" }],
        "a library that was removed" => ["begin; require 'late_gone'; 1; rescue LoadError; 0; end", { "lib/late_gone.rb" => "" },
                                         { "lib/late_gone.rb" => nil }],
        "a library that hides a later one" => ["require 'late_hidden'; $l4", { "app/models/late_hidden.rb" => "$l4 = 1; LateHidden = 1\n" },
                                               { "lib/late_hidden.rb" => "$l4 = 2\n" }],
        "a model" => ["MatrixThing.value", { "app/models/matrix_thing.rb" => format(CLASS, 1) },
                      { "app/models/matrix_thing.rb" => format(CLASS, 2) }],
        "a new model" => ["MatrixNew rescue 0", {}, { "app/models/matrix_new.rb" => "MatrixNew = 2\n" }],
        "a model in a new folder" => ["Matrix::Deep rescue 0", {}, { "app/models/matrix/deep.rb" => "Matrix::Deep = 2\n" }],
        "a new folder of classes" => ["MatrixService rescue 0", {}, { "app/services/matrix_service.rb" => "MatrixService = 2\n" }],
        "a concern" => ["MatrixConcern rescue 0", {}, { "app/models/concerns/matrix_concern.rb" => "MatrixConcern = 2\n" }],
        "a new helper" => ["ApplicationController = Class.new(ActionController::Base) unless defined?(ApplicationController); " \
                           "ActionController::Base.all_helpers_from_path('app/helpers')", {},
                           { "app/helpers/matrix_helper.rb" => "module MatrixHelper; end\n" }],
        "a view" => ["ActionController::Base.render(template: 'notes/matrix', layout: false)",
                     { "app/views/notes/matrix.html.erb" => "1" }, { "app/views/notes/matrix.html.erb" => "2" }],
        "a new view" => ["(ActionController::Base.render(template: 'notes/matrix_new', layout: false) rescue 0)", {},
                         { "app/views/notes/matrix_new.html.erb" => "2" }],
        "a Rake task" => ["File.read('lib/tasks/m.rake')", { "lib/tasks/m.rake" => "1" }, { "lib/tasks/m.rake" => "2" }],
        "credentials" => ["(Rails.application.credentials.a rescue $!.class)", {},
                          { "config/credentials.yml.enc" => "x", "config/master.key" => "0" * 32 }],
        "a key" => ["(Rails.application.credentials.key.to_s rescue $!.class)", {}, { "config/master.key" => "1" * 32 }],
        ".ruby-version" => ["(File.read('.ruby-version') rescue 0)", {}, { ".ruby-version" => "3\n" }],
        ".env.local" => ["Dir['.env*'].sort", { ".env" => "A=1\n" }, { ".env.local" => "A=2\n" }],
        "YAML that is loaded later" => ["YAML.load_file('config/later.yml')", { "config/later.yml" => "a: 1\n" },
                                        { "config/later.yml" => "a: 2\n" }],
        "config/application.rb" => ["$a1", {}, { "config/application.rb" => :append }],
        "config/boot.rb" => ["$a2", {}, { "config/boot.rb" => :append }],
        "config/environment.rb" => ["$a3", {}, { "config/environment.rb" => :append }],
        "bin/rails" => ["$a4", {}, { "bin/rails" => :prepend }]
      }.freeze
      APPENDED = { "config/application.rb" => "$a1 = 2\n", "config/boot.rb" => "$a2 = 2\n", "config/environment.rb" => "$a3 = 2\n",
                   "bin/rails" => "$a4 = 2\n" }.freeze

      def self.cases
        CASES.map do |name, (value, before, after)|
          Case.new(name: "Rails: #{name}", value: value, files: before, late: true, more: after.keys - before.keys,
                   change: ->(hands) { after.each { |path, text| change(hands, path, text) } })
        end
      end

      def self.change(hands, path, text)
        case text
        when nil then File.unlink(hands.path(path))
        when :append then File.write(hands.path(path), APPENDED.fetch(path), mode: "a")
        when :prepend then hands.write(path, File.read(hands.path(path)).sub("\n", "\n#{APPENDED.fetch(path)}"))
        else hands.write(path, text)
        end
      end
    end
  end
end
# rubocop:enable Layout/LineLength
