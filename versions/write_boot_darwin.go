package versions

import "golang.org/x/sys/unix"

// bootID names this run of the system: what was written in another one and not
// synced may be lost. Empty where it can't be known.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
