// Package browsertest has no code, only tests: they use the page of headway
// serve in Chromium, as people do.
//
// It is a module of its own because of what drives the browser, and is not for
// import.
package browsertest
