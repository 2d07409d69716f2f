"""Maintenance: old observations compressed, unused ones archived, the archive and what killed restores left cleaned up."""
