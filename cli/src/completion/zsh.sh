#compdef links
_links() {
    local candidate word=${(Q)PREFIX}
    local -a whole begun
    # The shell itself completes what is in the home directory. Only without quotes a ~ stands for that.
    if [[ $word == '~'* ]]; then
        [[ -z $QIPREFIX ]] && _files
        return
    fi
    for candidate in "${(@f)$(LINKS_COMPLETE=zsh links -- "${(@Q)words[1,CURRENT-1]}" "$word" 2>/dev/null)}"; do
        if [[ ${${candidate//\\:/=}%%:*} == *[=/] ]]; then
            begun+=("$candidate")
        elif [[ -n $candidate ]]; then
            whole+=("$candidate")
        fi
    done
    (( $#whole )) && _describe -V links whole
    (( $#begun )) && _describe -V links begun -S ''
}
if [[ $funcstack[1] == _links ]]; then
    _links "$@"
else
    compdef _links links
fi
