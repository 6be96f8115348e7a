package terminal

import (
	"strconv"
	"strings"
)

// TakesProgress reports whether the terminal is known to show a progress bar for OSC 9;4.
// Others may show the same sequence as a message, so the default is no.
func TakesProgress(getenv func(string) string) bool {
	if getenv("TMUX") != "" || strings.HasPrefix(getenv("TERM"), "screen") || strings.HasPrefix(getenv("TERM"), "tmux") {
		return false // the variables may describe the terminal around a multiplexer, not the multiplexer
	}
	switch getenv("TERM_PROGRAM") {
	case "ghostty":
		return true
	case "iTerm.app":
		return least(getenv("TERM_PROGRAM_VERSION"), 3, 6)
	}
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || getenv("TERM") == "xterm-ghostty" || least(getenv("VTE_VERSION"), 8000, 0)
}

// least reports whether a version is major.minor or later.
func least(version string, major, minor int) bool {
	head, rest, _ := strings.Cut(version, ".")
	tail, _, _ := strings.Cut(rest, ".")
	a, err := strconv.Atoi(head)
	b, _ := strconv.Atoi(tail)
	return err == nil && (a > major || a == major && b >= minor)
}
