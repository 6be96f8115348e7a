package versions

import (
	"os"
	"strings"
)

// bootID names this run of the system: what was written in another one and not
// synced may be lost. Empty where it can't be known.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
