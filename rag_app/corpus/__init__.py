"""Files into documents, documents into passages, passages into statements; every text an exact slice."""
