//go:build race

package sanitize

const raceEnabled = true
