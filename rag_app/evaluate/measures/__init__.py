"""Rows in; figures out: scores of an answer, retrieval measures, abstention, intervals."""
