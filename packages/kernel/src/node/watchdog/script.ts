/**
 * What the sidecar runs, for any POSIX shell. Its only input is a pipe whose other end nobody but the host has, so the
 * end of input is the end of the host, however that came about.
 *
 * A line is `+ RUN` before a child is started, `+ RUN GROUP` once its process group is known, `- RUN` when nothing of it
 * is left. Runs that are under way are kept as words, `RUN:GROUP:START`.
 */
export const WATCHDOG_SCRIPT = `
host=$1
live=' '
trap '' HUP INT TERM

# The start time of a process tells it from a later one of the same number. Empty where there is no /proc.
started() {
  start=
  IFS= read -r stat <"/proc/$1/stat" || return 0
  set -- \${stat##*) }
  start=\${20}
}

forget() {
  case $live in
    *" $1:"*) rest=\${live#*" $1:"} live="\${live%%" $1:"*} \${rest#* }" ;;
  esac
}

signal() {
  for word in $live; do
    rest=\${word#*:} group=\${rest%%:*}
    [ -n "$group" ] || continue
    started "$group"
    case $start in '' | "\${rest#*:}") kill "-$1" "-$group" ;; esac
  done
}

# Processes that left their group still have the mark of their run in their environment.
marked() {
  for word in $live; do set -- "$@" -e "EXT_RUN_ID=\${word%%:*}-$host"; done
  grep -ls "$@" /proc/[0-9]*/environ
}

while read -r sign run group; do
  forget "$run"
  [ "$sign" = + ] || continue
  start=
  [ -z "$group" ] || started "$group"
  live="$live$run:$group:$start "
done

[ "$live" != ' ' ] || exit 0
signal TERM
sleep 0.2 || sleep 1
signal KILL
for pass in 1 2 3; do
  files=$(marked)
  [ -n "$files" ] || break
  for file in $files; do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done
`
