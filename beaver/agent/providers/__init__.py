"""Model providers behind one Protocol: offline, scripted, and one file for each SDK."""
