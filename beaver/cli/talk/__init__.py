"""What stands behind `beaver chat`: a conversation through a running server or with an engine of its own, at a terminal."""
