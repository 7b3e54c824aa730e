"""Ask without a model: prints the person's tools, the expenses by month, and what a refusal says.

AGENT_URL=http://127.0.0.1:8000 AGENT_TOKEN=… python docs/examples/with_requests.py
"""

import door

LEDGER = "queryLedgerCashTransactions"

for tool in door.tools()["tools"]:
    print(f"{tool['name']}: {tool['shortDescription']}")

answer = door.call(LEDGER, {"flow": "EXPENSE", "groupBy": "date", "rows": 0})
# Every number stands in the answer, a string with all of its digits. Nothing is added up here.
for month in answer["summary"]["groups"]:
    print(f"{month['key']}: {month['metrics']['amount']['sum']} in {month['rowCount']} rows")
print(f"all: {answer['summary']['metrics']['amount']['sum']} in {answer['coverage']['analysedRows']} rows")

refusal = door.call(LEDGER, {"flow": "EXPENSES"})
for name in refusal["nextAction"]["fields"]:
    print(f"{name} would have been one of {', '.join(refusal['params'][name]['values'])}")
