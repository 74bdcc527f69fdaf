"""The rules told to people: a sheet as questions and answers, two sheets compared, a ruling and why."""
