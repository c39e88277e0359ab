function __links_complete
    set -l typed (commandline --current-token --cut-at-cursor)
    set -l word
    # The quote that is open where the cursor is, if any, is closed first.
    for end in '' '"' "'"
        if set word (string unescape -- "$typed$end")
            break
        end
    end
    # Only the shell knows the home directory that a ~ stands for.
    if string match --quiet -- '~*' "$word"
        __fish_complete_path "$typed"
        return
    end
    LINKS_COMPLETE=fish links -- (commandline --current-process --tokenize --cut-at-cursor) "$word"
end
complete --keep-order --exclusive --command links --arguments "(__links_complete)"
