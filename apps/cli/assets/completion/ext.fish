# Completion of ext for fish; see ext completion --help.
function __ext_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # What is completed of --name=value is the value, and what is offered is the whole word.
    set -l lead (string match -r -- '^--[^=]+=' "$current")
    for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                string replace -r -- '^' "$lead" (complete -C"'' "(string sub -s (math (string length -- "$lead") + 1) -- "$current"))
            case ':folders'
                string replace -r -- '^' "$lead" (complete -C"'' "(string sub -s (math (string length -- "$lead") + 1) -- "$current") | string match -r -- '^[^\t]*/(?=\t|$)')
            case '*'
                echo $line
        end
    end
end
complete -c ext -f -a '(__ext_complete)'
