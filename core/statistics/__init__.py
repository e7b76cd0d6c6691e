"""Statistics of any counts and scores: intervals, paired differences, clustered errors, kappa."""
