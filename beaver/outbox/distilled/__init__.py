"""The distilled lane: items of the host's memory on their way to the Gateway, each sent until it arrives or is given up."""
