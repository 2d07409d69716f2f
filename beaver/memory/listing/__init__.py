"""What a user's memory holds, as its owner looks through it: page by page, the newest first, or one by one."""
