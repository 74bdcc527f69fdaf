"""What is right at a table and what is not: checks with a name, an answer and what to do, for people and programs."""
