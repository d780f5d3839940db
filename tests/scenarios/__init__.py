"""The built-in stories, and stories of a user's own."""
