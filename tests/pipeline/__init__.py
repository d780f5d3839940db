"""The pipeline's tests. Those marked `spark` share one session."""
