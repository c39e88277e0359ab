complete --keep-order --exclusive --command links --arguments "(LINKS_COMPLETE=fish links -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
