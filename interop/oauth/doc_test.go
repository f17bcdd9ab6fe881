// Package oauth_test tests the authentication of the admin by a third-party authorization server: that of the npm
// package in package-lock.json.
package oauth_test
