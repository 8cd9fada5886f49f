#!/bin/sh
# Runs after each edit and leaves a line behind.
sed -n 's/.*"tool_input":{[^}]*"path":"\([^"]*\)".*/edited \1/p' >> "$CLAUDE_PROJECT_DIR"/edits.log
