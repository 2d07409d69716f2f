"""Memory as files: a namespace exported and restored without loss, merged from another, or taken over from other systems."""
