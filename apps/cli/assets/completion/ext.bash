# Completion of ext for bash; see ext completion --help.
_ext_completion() {
  local rest="${COMP_LINE:0:COMP_POINT}" words=() word current='' i
  # Bash also splits at = and :, so what no blank stands before is joined again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ $i -eq 0 || $rest == [[:space:]]* ]]; then
      rest="${rest#"${rest%%[![:space:]]*}"}"
      current=''
      words[${#words[@]}]=''
    fi
    # Only what stands before the cursor counts.
    [[ $i -eq $COMP_CWORD ]] && word="$rest"
    rest="${rest#"$word"}"
    current="$current$word"
    words[${#words[@]} - 1]="$current"
  done

  # Behind one of those it completes an empty word.
  [[ $word == [=:] ]] && word=''
  local lead="${current%"$word"}" line value
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files) while IFS= read -r value; do COMPREPLY[${#COMPREPLY[@]}]="$value"; done < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null ;;
      :folders) while IFS= read -r value; do COMPREPLY[${#COMPREPLY[@]}]="$value"; done < <(compgen -d -- "$word")
        compopt -o filenames 2>/dev/null ;;
      *)
        value="${line%%$'\t'*}"
        printf -v value '%q' "${value#"$lead"}"
        COMPREPLY[${#COMPREPLY[@]}]="$value"
        ;;
    esac
  done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _ext_completion ext
