"""Votes that are too many for memory: read part by part here, by Spark or by Dask, with the same bits as a whole array.

Every engine does the same two things. It makes a digest of the votes, part by part, from which the sources are learned;
and it labels parts. What a part is, and where it is worked on, is all that an engine decides.
"""
