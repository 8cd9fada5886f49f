#!/bin/sh
# Answers for the user: writes are fine. A deny rule still has the last word.
cat > /dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"writes are routine here"}}'
