//go:build race

package chaos_test

// raced has the program built as the tests are.
var raced = []string{"-race"}
