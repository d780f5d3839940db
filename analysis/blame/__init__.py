"""What unavailable time waited for."""
