# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_links_global_optspecs
    string join \n o/output= fields= jq= r/raw base-url= account= color= no-progress v/verbose timeout= sandbox max-wait= h/help V/version
end

function __fish_links_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_links_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_links_using_subcommand
    set -l cmd (__fish_links_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c links -n "__fish_links_needs_command" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_needs_command" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_needs_command" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_needs_command" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_needs_command" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_needs_command" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_needs_command" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_needs_command" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_needs_command" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_needs_command" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_needs_command" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_needs_command" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_needs_command" -s V -l version -d 'Print version'
complete -c links -n "__fish_links_needs_command" -f -a "files" -d 'Images'
complete -c links -n "__fish_links_needs_command" -f -a "music" -d 'Music releases'
complete -c links -n "__fish_links_needs_command" -f -a "analytics" -d 'Views and clicks'
complete -c links -n "__fish_links_needs_command" -f -a "schema" -d 'JSON Schemas of the live slot types, for editors'
complete -c links -n "__fish_links_needs_command" -f -a "api" -d 'Call any path of the service, with the pacing, retries and keys of every command'
complete -c links -n "__fish_links_needs_command" -f -a "me" -d 'Show who the token belongs to, what it may do, and how much of each limit is used'
complete -c links -n "__fish_links_needs_command" -f -a "profile" -d 'Pages'
complete -c links -n "__fish_links_needs_command" -f -a "channels" -d 'Notification channels'
complete -c links -n "__fish_links_needs_command" -f -a "slots" -d 'The blocks of a page'
complete -c links -n "__fish_links_needs_command" -f -a "forms" -d 'Lead forms'
complete -c links -n "__fish_links_needs_command" -f -a "auth" -d 'Accounts: log in, switch, log out'
complete -c links -n "__fish_links_needs_command" -f -a "doctor" -d 'Look at the configuration, the token, the way to the service and the limits, and say what is wrong'
complete -c links -n "__fish_links_needs_command" -f -a "config" -d 'The configuration file'
complete -c links -n "__fish_links_needs_command" -f -a "completions" -d 'Print the script that makes a shell complete commands, logins, ids and values'
complete -c links -n "__fish_links_needs_command" -f -a "help" -d 'Explain a topic or a command'
complete -c links -n "__fish_links_needs_command" -f -a "man" -d 'Write the manual pages'
complete -c links -n "__fish_links_needs_command" -f -a "sandbox" -d 'The embedded service: try everything on this machine, without an account'
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand files; and not __fish_seen_subcommand_from upload" -f -a "upload" -d 'Upload images; their paths are what blocks and pages take'
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l via -d 'The way of a file: through the service, or to an address that the service names. Without it files of more than 10 MB take the second' -r -f -a "multipart\t''
upload-url\t''"
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l for -d 'Refuse images whose size or proportions do not suit this use; nothing is set on a page' -r -f -a "avatar\t'Square, at least 800x800'
background\t'16:9, at least 1600x900'"
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand files; and __fish_seen_subcommand_from upload" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -f -a "lookup" -d 'Find a release by its code, its address or its title'
complete -c links -n "__fish_links_using_subcommand music; and not __fish_seen_subcommand_from lookup add" -f -a "add" -d 'Find a release and put it on a page'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l artist -d 'Artist, for a search by title' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l type -d 'What a search by title and artist looks for' -r -f -a "album\t''
track\t''"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from lookup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l artist -d 'Artist, for a search by title' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l type -d 'What a search by title and artist looks for' -r -f -a "album\t''
track\t''"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l at -d 'To this position, counted from 0' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l before -d 'Before the block with this id' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l after -d 'Behind the block with this id' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l top -d 'To the top of the page'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l bottom -d 'To the end of the page'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand music; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -f -a "account" -d 'Numbers of all pages'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -f -a "profile" -d 'Numbers of a page: views, clicks per block and per social link'
complete -c links -n "__fish_links_using_subcommand analytics; and not __fish_seen_subcommand_from account profile form" -f -a "form" -d 'Numbers of a form: from views to submissions'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l period -d 'A named period' -r -f -a "today\t''
yesterday\t''
last7\t''
last28\t''
last90\t''
thisMonth\t''
lastMonth\t''"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l from -d 'First day, such as 2026-01-31, in the time zone that `links me` shows; at most 366 days in all' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l to -d 'Last day' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l bucket -d 'Step of the timeline' -r -f -a "day\t''
week\t''
month\t''"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l timeline -d 'With the numbers of each step'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l compare -d 'With the numbers of the period before'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from account" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l period -d 'A named period' -r -f -a "today\t''
yesterday\t''
last7\t''
last28\t''
last90\t''
thisMonth\t''
lastMonth\t''"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l from -d 'First day, such as 2026-01-31, in the time zone that `links me` shows; at most 366 days in all' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l to -d 'Last day' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l bucket -d 'Step of the timeline' -r -f -a "day\t''
week\t''
month\t''"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l timeline -d 'With the numbers of each step'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l compare -d 'With the numbers of the period before'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from profile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l period -d 'A named period' -r -f -a "today\t''
yesterday\t''
last7\t''
last28\t''
last90\t''
thisMonth\t''
lastMonth\t''"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l from -d 'First day, such as 2026-01-31, in the time zone that `links me` shows; at most 366 days in all' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l to -d 'Last day' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l bucket -d 'Step of the timeline' -r -f -a "day\t''
week\t''
month\t''"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l timeline -d 'With the numbers of each step'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l compare -d 'With the numbers of the period before'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand analytics; and __fish_seen_subcommand_from form" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -f -a "page" -d 'The schema of a page file'
complete -c links -n "__fish_links_using_subcommand schema; and not __fish_seen_subcommand_from page slot" -f -a "slot" -d 'The schema of the data of a block'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from page" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand schema; and __fish_seen_subcommand_from slot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand api" -s F -l field -d 'A field of the body; of the query for GET and DELETE' -r
complete -c links -n "__fish_links_using_subcommand api" -l input -d 'A file with the body, sent as it is (`-`: standard input)' -r -F
complete -c links -n "__fish_links_using_subcommand api" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand api" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand api" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand api" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand api" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand api" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand api" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand api" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand api" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand api" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand api" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand api" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand api" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand me" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand me" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand me" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand me" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand me" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand me" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand me" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand me" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand me" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand me" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand me" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand me" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand me" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "create" -d 'Make a page, after a look whether its login is free'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "update" -d 'Change fields of a page'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "edit" -d 'Change fields of a page in an editor'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "rename" -d 'Change the public address of a page; the old one breaks'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "settings" -d 'Show or change the language of a page, and what else its settings have'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "open" -d 'Print the address of a page, and show it in a browser on a terminal'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "list" -d 'List the pages of the account'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "get" -d 'Show one page'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "preview" -d 'Print a page as its readers see it, in Markdown'
complete -c links -n "__fish_links_using_subcommand profile; and not __fish_seen_subcommand_from create update edit rename settings open list get preview check-login" -f -a "check-login" -d 'Ask whether logins are free; exit code 3 when one is not'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l confirm -d 'The login that the page has now, to show that this is the page that is meant' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l yes -d 'Agree to it without being asked'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from settings" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l expect -d 'Compare the page with this file; exit code 3 when they differ' -r -F
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l max-tokens -d 'Exit code 3 when the page is longer than this for a language model' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l annotate -d 'Say for a CI service where the page differs' -r -f -a "github\t'Workflow commands of GitHub Actions, on stderr'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l update -d 'Write the page to the file instead'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from preview" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -s f -l file -d 'A file with one login a line (`-`: standard input); what follows a `#` is a comment' -r -F
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l as -d 'Id, login or address of the own page that would take the login; the one it has now then counts as free' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l annotate -d 'Say for a CI service which line is not free' -r -f -a "github\t'Workflow commands of GitHub Actions, on stderr'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand profile; and __fish_seen_subcommand_from check-login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand channels; and not __fish_seen_subcommand_from list" -f -a "list" -d 'List the verified channels of the account; their ids are what a form\'s notificationChannelIds take'
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand channels; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "add" -d 'Put a new block on a page'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "set" -d 'Change fields of a block'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "move" -d 'Move a block to another place on its page'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "reorder" -d 'Put all blocks of a page into an order'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "delete" -d 'Delete blocks with their click statistics, after showing what is lost'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "explain" -d 'Explain a type of block: its fields, what they take, an example'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "template" -d 'Print a block of a type, ready to be pasted into a page file'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "list" -d 'List the blocks of a page, in page order'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "get" -d 'Show one block'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "types" -d 'List the types of blocks'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "pull" -d 'Write a page down as a file to edit and apply'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "plan" -d 'Show what `apply` would do; exit code 3 when there is something to do'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "apply" -d 'Make a page as a file says'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "history" -d 'List the runs of `apply` and what became of them'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "restore" -d 'Make a page as it was before a run, as far as that goes'
complete -c links -n "__fish_links_using_subcommand slots; and not __fish_seen_subcommand_from add set move reorder delete explain template list get types pull plan apply history restore edit" -f -a "edit" -d 'Edit a page in your editor (VISUAL, EDITOR) and apply what was saved'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l at -d 'To this position, counted from 0' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l before -d 'Before the block with this id' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l after -d 'Behind the block with this id' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l top -d 'To the top of the page'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l bottom -d 'To the end of the page'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l at -d 'To this position, counted from 0' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l before -d 'Before the block with this id' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l after -d 'Behind the block with this id' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l top -d 'To the top of the page'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l bottom -d 'To the end of the page'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from move" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from reorder" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l yes -d 'Agree to it without being asked'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from template" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from types" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -s O -l out -d 'Write to this file, as JSON if its name ends so' -r -F
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l schema -d 'Name this schema, as `links schema page` prints it, in the first line for editors that check and complete YAML by it; the path is written as it is given, and counts from the file\'s folder' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l force -d 'Replace the file if it is there'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l max-deletes -d 'Agree to at most this many deletes; needed to delete much of a page' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l out -d 'Write the plan to this file, for `links slots apply`' -r -F
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l annotate -d 'Print what is refused for annotations at the lines of the file' -r -f -a "github\t'Workflow commands of GitHub Actions, on stderr'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l prune -d 'Delete the blocks that the file does not mention'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l prune-unsupported -d 'Delete the legacy blocks that the file does not mention, which cannot be created again'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l yes -d 'Agree to the deletes without being asked'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l allow-empty -d 'Let a file without any blocks be meant, and a page that has lost all of its own'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l no-validate -d 'Leave it to the service to check the blocks against the schemas of their types'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l check -d 'Ask the service whether it would take the new and changed blocks; nothing is written'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l max-deletes -d 'Agree to at most this many deletes; needed to delete much of a page' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l prune -d 'Delete the blocks that the file does not mention'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l prune-unsupported -d 'Delete the legacy blocks that the file does not mention, which cannot be created again'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l yes -d 'Agree to the deletes without being asked'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l allow-empty -d 'Let a file without any blocks be meant, and a page that has lost all of its own'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l no-validate -d 'Leave it to the service to check the blocks against the schemas of their types'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l wait -d 'Wait for another run on the same page instead of refusing'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l status -d 'List the runs that did not come to an end, and do nothing'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l resume -d 'Go on with the run that did not come to an end, with its file and what was to be pruned'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l abort -d 'Give up the run that did not come to an end; what it has written stays on the page'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l yes -d 'Agree to the changes without being asked'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l wait -d 'Wait for another run on the same page instead of refusing'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l max-deletes -d 'Agree to at most this many deletes; needed to delete much of a page' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l prune -d 'Delete the blocks that the file does not mention'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l prune-unsupported -d 'Delete the legacy blocks that the file does not mention, which cannot be created again'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l yes -d 'Agree to the deletes without being asked'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l allow-empty -d 'Let a file without any blocks be meant, and a page that has lost all of its own'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l no-validate -d 'Leave it to the service to check the blocks against the schemas of their types'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand slots; and __fish_seen_subcommand_from edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -f -a "get" -d 'Show one form'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -f -a "update" -d 'Change a form on every page that holds it'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -f -a "edit" -d 'Change a form in an editor'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -f -a "field" -d 'One question of a form'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -f -a "list" -d 'List the lead forms of the account'
complete -c links -n "__fish_links_using_subcommand forms; and not __fish_seen_subcommand_from get update edit field list create" -f -a "create" -d 'Make a lead form from a file, from values, or from both'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -f -a "add" -d 'Add a question'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -f -a "set" -d 'Change a question'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from field" -f -a "remove" -d 'Remove a question'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l dry-run -d 'Change nothing: ask the service whether it would accept this, or print the request' -r -f -a "service\t'The service checks it'
request\t'The request is printed as a curl command, with the token masked, and not sent'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand forms; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -f -a "login" -d 'Log in: in the browser, or with a token from the account\'s API settings'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -f -a "status" -d 'Show who commands speak as, where the token comes from, and how much of each limit is used'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -f -a "list" -d 'List the accounts of this machine'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -f -a "switch" -d 'Make an account the current one'
complete -c links -n "__fish_links_using_subcommand auth; and not __fish_seen_subcommand_from login status list switch logout" -f -a "logout" -d 'Forget an account and its secret'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l token-command -d 'Take the token from this program whenever it is needed: a password manager\'s, for example' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l store -d 'Where to keep the secret' -r -f -a "keyring\t'The keyring of the system'
file\t'A file that only you can read'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l mcp-url -d 'Address of the connector; the service names it unless it is given [env: LINKS_MCP_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l callback-port -d 'Port on this machine to which the browser comes back; a free one is taken when it is not given' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l token-stdin -d 'Read a personal token from standard input, or ask for it on the terminal'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l no-browser -d 'Only show the address to open, and take the one at which the browser ends from standard input'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from switch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand auth; and __fish_seen_subcommand_from logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand doctor" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand doctor" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand doctor" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand doctor" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand doctor" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand doctor" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand doctor" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand doctor" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand doctor" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand doctor" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand doctor" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand doctor" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -f -a "path" -d 'Print where the configuration file is'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -f -a "list" -d 'List every key with its value and where that comes from'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -f -a "get" -d 'Print the value of one key'
complete -c links -n "__fish_links_using_subcommand config; and not __fish_seen_subcommand_from path list get set" -f -a "set" -d 'Set a key in the configuration file, or remove it'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l unset -d 'Remove the key from the file'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand completions" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand completions" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand completions" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand completions" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand completions" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand completions" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand completions" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand completions" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand completions" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand completions" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand completions" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand completions" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand help" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand help" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand help" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand help" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand help" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand help" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand help" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand help" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand help" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand help" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand help" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand help" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand man" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand man" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand man" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand man" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand man" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand man" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand man" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand man" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand man" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand man" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand man" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand man" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -f -a "serve" -d 'Keep it running for other programs; prints its address and a token as one JSON line'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -f -a "reset" -d 'Forget everything that was written to it'
complete -c links -n "__fish_links_using_subcommand sandbox; and not __fish_seen_subcommand_from serve reset path" -f -a "path" -d 'Print where its state is kept'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l port -d 'Port on the loopback address; a free one is taken when it is not given' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l no-limits -d 'Answer as fast as asked: no 429'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -s o -l output -d 'How to print the data [env: LINKS_OUTPUT] [default: table]' -r -f -a "table\t'For people'
json\t'Everything the service sent, as it sent it'
yaml\t'The same as YAML'
jsonl\t'One line of JSON for each record'
csv\t'One line for each record, with all its fields'
markdown\t'A table for a document'
ids\t'One id a line'"
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l fields -d 'Only these fields of each record: `id,data.title`' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l jq -d 'What this jq filter makes of the data; JSON unless -o says otherwise' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l base-url -d 'Address of the service, version segment included [env: LINKS_BASE_URL]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l account -d 'One of the accounts of `links auth list` [env: LINKS_ACCOUNT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l color -d 'When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]' -r -f -a "auto\t'On a terminal'
always\t'Elsewhere too'
never\t'Nowhere'"
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l timeout -d 'Longest time for one call, waiting and retries included [env: LINKS_TIMEOUT] [default: 120]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l max-wait -d 'Fail where the rate limits ask for a longer wait [env: LINKS_MAX_WAIT]' -r
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -s r -l raw -d 'Print the texts that --jq makes without quotes'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l no-progress -d 'Do not show the progress of long work'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -l sandbox -d 'Work on the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]'
complete -c links -n "__fish_links_using_subcommand sandbox; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
