package disk

import (
	"os"
	"strings"
)

// BootID identifies this boot of the system. Writes of an earlier boot that were not
// synced may be lost. It is empty if unknown.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
