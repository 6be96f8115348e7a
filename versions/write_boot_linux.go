package versions

import (
	"os"
	"strings"
)

// bootID identifies this boot of the system. Writes of an earlier boot that were not
// synced may be lost. It is empty if unknown.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
