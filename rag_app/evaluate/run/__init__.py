"""A suite in; a result out: questions asked through the real engine, rows kept, frozen and compared."""
