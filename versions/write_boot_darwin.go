package versions

import "golang.org/x/sys/unix"

// bootID identifies this boot of the system. Writes of an earlier boot that were not
// synced may be lost. It is empty if unknown.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
