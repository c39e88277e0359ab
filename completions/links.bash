_links_complete() {
    COMPREPLY=()
    # The shell itself completes what is in the home directory.
    if [[ $2 == '~/'* ]]; then
        compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2"))
        return
    fi
    local candidate
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(LINKS_COMPLETE=bash links -- "${COMP_LINE:0:COMP_POINT}" "$2" "$COMP_TYPE" "${COLUMNS:-80}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _links_complete links 2>/dev/null || complete -F _links_complete links
