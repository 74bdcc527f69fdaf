"""The contract between a running table and its page: the state of the table (`live_table`) and the messages that cross
between their processes (`messages`)."""
