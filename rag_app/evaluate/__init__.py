"""Wing: questions with known answers in; figures about the system out, with the rows that they rest on."""
