package shelf

// Tests have small parts, so that a record of some kilobytes has several.
func init() { partSize = 1 << 10 }
