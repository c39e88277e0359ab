#compdef links
_links() {
    local candidate word=${(Q)PREFIX}
    local -a whole begun as_is
    # Only without quotes a ~ is the home directory.
    if [[ $word == '~'* ]]; then
        [[ -z $QIPREFIX && $PREFIX == '~/'* ]] || return 1
        as_is=(-Q)
    fi
    for candidate in "${(@f)$(LINKS_COMPLETE=zsh links -- "${(@Q)words[1,CURRENT-1]}" "$word" 2>/dev/null)}"; do
        if [[ ${${candidate//\\:/=}%%:*} == *[=/] ]]; then
            begun+=("$candidate")
        elif [[ -n $candidate ]]; then
            whole+=("$candidate")
        fi
    done
    (( $#whole )) && _describe -V links whole $as_is
    (( $#begun )) && _describe -V links begun -S '' $as_is
}
if [[ $funcstack[1] == _links ]]; then
    _links "$@"
else
    compdef _links links
fi
