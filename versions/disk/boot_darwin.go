package disk

import "golang.org/x/sys/unix"

// BootID identifies this boot of the system. Writes of an earlier boot that were not
// synced may be lost. It is empty if unknown.
func BootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
