#!/bin/sh
# By curl alone: prints the names of the person's tools, the answer of one, and a refusal that says what would have fitted.
#
#     AGENT_URL=http://127.0.0.1:8000 AGENT_TOKEN=… sh docs/examples/with_curl.sh
set -eu

# --retry waits as long as a 429 says in Retry-After, and asks again.
ask() {
    path=$1
    shift
    curl --silent --show-error --retry 5 --header "Authorization: Bearer $AGENT_TOKEN" "$@" "$AGENT_URL/agent/tools$path"
}

ask "" | grep -o '"name":"[A-Za-z]*"'
for flow in EXPENSE EXPENSES; do
    ask /queryLedgerCashTransactions --json "{\"flow\": \"$flow\", \"rows\": 0}"
    echo
done
