"""Statistics that do not know what they count: bootstraps, clustered errors, kappa."""
