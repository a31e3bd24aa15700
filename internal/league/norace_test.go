//go:build !race

package league

const raced = false
