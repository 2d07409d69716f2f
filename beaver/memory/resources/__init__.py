"""Resources: documents that a user stored by URI, found passage by passage."""
