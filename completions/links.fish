function __links_complete
    set -l typed (commandline --current-token --cut-at-cursor)
    set -l word
    # The quote that is open where the cursor is, if any, is closed first.
    for end in '' '"' "'"
        if set word (string unescape -- "$typed$end")
            break
        end
    end
    # The shell itself completes what is in the home directory. Within quotes a ~ does not stand for that.
    if string match --quiet -- '~*' "$word"
        string match --quiet -- '~*' "$typed"; and complete --do-complete "cat $typed"
        return
    end
    LINKS_COMPLETE=fish links -- (commandline --current-process --tokenize --cut-at-cursor) "$word"
end
complete --keep-order --exclusive --command links --arguments "(__links_complete)"
