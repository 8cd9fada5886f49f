/**
 * What the sidecar runs, for any POSIX shell. Its only input is a pipe whose other end nobody but the host has, so the
 * end of input is the end of the host, however that came about. A line is one of
 * - `+ RUN GROUP`: a child runs
 * - `- RUN`: it is over
 * - `> EPOCH`: names of runs end with this from now on; those before that were not told of are over
 * - `q`: nothing is left to watch
 */
export const WATCHDOG_SCRIPT = `
host=$1 epoch=$2
# Runs under way, as words RUN:GROUP:START.
live=' '
trap '' HUP INT TERM

# The start time of a process tells it from a later one of the same number. Empty if there is none, or no /proc.
started() {
  start=
  IFS= read -r stat <"/proc/$1/stat" || return 0
  set -- \${stat##*) }
  start=\${20}
}

forget() {
  case $live in
    *" $1:"*)
      rest=\${live#*" $1:"}
      live="\${live%%" $1:"*} \${rest#* }"
      ;;
  esac
}

while read -r sign run group; do
  case $sign in
    +)
      started "$group"
      forget "$run"
      live="$live$run:$group:$start "
      ;;
    -) forget "$run" ;;
    '>') epoch=$run ;;
    q) exit ;;
  esac
done

# To every group that is still the one that was started.
signal() {
  for word in $live; do
    rest=\${word#*:}
    group=\${rest%%:*}
    started "$group"
    case $start in '' | "\${rest#*:}") kill "-$1" "-$group" ;; esac
  done
}

# What left its group still has the mark of its run in its environment, and so has a child whose start the host did not
# live to tell of.
marked() {
  set -- -e "EXT_RUN_ID=[0-9]*[.]$epoch-$host"
  for word in $live; do set -- "$@" -e "EXT_RUN_ID=\${word%%:*}-$host"; done
  grep -ls "$@" /proc/[0-9]*/environ
}

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
