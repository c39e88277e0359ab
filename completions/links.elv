set edit:completion:arg-completer[links] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) LINKS_COMPLETE="elvish" links -- $@words) | to-lines
}
