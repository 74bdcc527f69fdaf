"""Reports on rules: a sheet as questions and answers, two sheets compared, one ruling explained."""
