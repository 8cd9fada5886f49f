#!/bin/sh
# Reads the call as JSON on standard input. Exit 2 blocks it, and what is written to stderr goes to the model.
case "$(cat)" in
  *'"command":"git push'*)
    echo 'Only the release manager pushes. Leave a request in PUSH_REQUEST.md instead.' >&2
    exit 2
    ;;
esac
