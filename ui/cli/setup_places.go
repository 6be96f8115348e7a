package cli

import (
	"os"
	"runtime"

	"github.com/memend/memend/agent/clients"
)

// clientPlaces are where the clients of this person look for their settings, and those of
// the working directory.
func clientPlaces() (clients.Places, error) {
	at := clients.Places{System: runtime.GOOS, Getenv: os.Getenv}
	var err error
	if at.Home, err = os.UserHomeDir(); err != nil {
		return at, &hinted{err, "set HOME"}
	}
	at.Folder, err = os.Getwd()
	return at, err
}
