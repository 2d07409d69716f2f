"""What a search heeds beside passages: people's names, and what was taken back."""
