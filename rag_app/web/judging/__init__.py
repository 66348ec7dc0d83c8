"""A question and a result in; a verdict out: is the page about the topic, the name and the region asked for?"""
