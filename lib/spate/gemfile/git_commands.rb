# frozen_string_literal: true

module Spate
  module Gemfile
    # Git commands whose output depends only on git's files, not on the time, time zone, locale or work tree, with the
    # options that are allowed for each. Options must be written in full; git also accepts abbreviations. git does not
    # allow aliases with these names.
    module GitCommands
      OPTIONS = {
        /--version/ => /(?!)/,
        /rev-parse/ => /-\S+/,
        /symbolic-ref/ => /-q|--quiet|--short/,
        /config/ => /-[lfz]|--(?:list|get|get-all|get-regexp|local|global|system|worktree|null|name-only|show-origin|
                     show-scope|includes|no-includes|bool|int|path|file=\S+|file|blob=\S+|default=\S*|
                     type=(?:bool|int|path))/x,
        /cat-file/ => /-[ptse]/,
        /merge-base/ => /-a|--(?:all|octopus|independent|is-ancestor|fork-point)/,
        /remote\sget-url/ => /--(?:push|all)/,
        /branch\s(?:--show-current|-a\s--contains)/ => /(?!)/,
        /tag/ => /-l|-n\d*|--(?:list|contains|no-contains|merged|no-merged|points-at|sort=-?(?:v:|version:)?[a-z]+)/,
        /rev-list/ => /-n?\d+|-n|--(?:count|all|tags|branches|remotes|not|reverse|topo-order|date-order|merges|
                       no-merges|first-parent|abbrev-commit|(?:max-count|skip|abbrev|max-parents|min-parents)=\d+)/x,
        /describe/ => /--(?:debug|tags|always|all|long|contains|exact-match|first-parent|
                       (?:abbrev|candidates)=\d+|(?:match|exclude)(?:=\S+)?)/x,
        /ls-files/ => /-[zcst]|--(?:cached|stage|full-name|error-unmatch|exclude-standard|recurse-submodules)/,
        /log(?=.*\s--(?:format|pretty)=\S*%)(?!.*%[-+\ ]?(?:[ac][Ddrh]|g))/ =>
          /-n?\d+|-n|-s|--(?:(?:format|pretty)=\S*%\S*|max-count=\d+|skip=\d+|abbrev=\d+|abbrev-commit|no-patch|
           name-only|all|tags|branches|reverse|merges|no-merges|first-parent)/x
      }.freeze
      COMMAND = OPTIONS.map { |name, options| /#{name}(?:\s+(?:#{options}|--|[^-\s]\S*))*/ }
      STABLE = %r{\A(?:\S*/)?git\s+(?:-[Cc]\s+\S+\s+)*(?:#{Regexp.union(COMMAND)})\s*\z}
      CLOCK = /--(?:since|until|after|before|expir)|expiry|@\{|\bago\b/

      # Whether the command line (String) is one of these commands.
      def self.stable?(words) = words.match?(STABLE) && !words.match?(CLOCK)
    end
  end
end
