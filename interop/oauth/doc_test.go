// Package oauth_test has an authorization server of another make say who is the
// admin: the one of the npm package that package-lock.json names.
package oauth_test
