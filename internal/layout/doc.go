// Package layout holds nothing but tests: they read the source files and the
// module files, and fail when a package imports what it must not.
package layout
