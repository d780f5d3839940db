"""Recorded incidents reconstructed and replayed."""
