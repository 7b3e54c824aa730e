"""The money of the sample company: accounts, what went in and out of them, and what a currency is worth."""
