#compdef ext
# Completion of ext for zsh; see ext completion --help.
_ext() {
  local -a typed values shown
  local line value about
  typed=("${(@Q)words[2,CURRENT]}")
  # Only what stands before the cursor counts.
  typed[-1]="${(Q)PREFIX}"
  while IFS= read -r line; do
    case $line in
      :files) [[ $PREFIX == --*=* ]] && compset -P '*='; _files; return ;;
      :folders) [[ $PREFIX == --*=* ]] && compset -P '*='; _files -/; return ;;
    esac
    value=${line%%$'\t'*}
    about=${line#*$'\t'}
    values+=("$value")
    [[ -n $about && $about != "$line" ]] && shown+=("$value  -- $about") || shown+=("$value")
  done < <("${(Q)words[1]}" complete -- "${typed[@]}" 2>/dev/null)
  (( $#values )) && compadd -l -d shown -a values
}
# As a file of fpath it is called; with eval it registers itself.
if [[ $funcstack[1] == _ext ]]; then _ext "$@"; else compdef _ext ext; fi
