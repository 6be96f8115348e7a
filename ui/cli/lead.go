package cli

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
)

// leading are the flags that lead this program to the same home and the same settings,
// from whatever folder and in whatever environment it is started. All that is printed for
// other programs, or written into their settings, has them.
func (p *program) leading() (flags []string, err error) {
	home, err := p.homeFolder()
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return nil, err
	}
	if usual, err := plainHome(); err != nil || home != usual {
		flags = append(flags, "--home", home)
	}
	if config := cmp.Or(p.config, os.Getenv("MEMEND_CONFIG")); config != "" {
		if config, err = filepath.Abs(config); err != nil {
			return nil, err
		}
		flags = append(flags, "--config", config)
	}
	if p.wishes.looks && p.wishes.readOnly {
		flags = append(flags, "--read-only")
	}
	return flags, nil
}

// plainHome is the home of a program that is started without a word of it. One that is
// started from a menu may not have $XDG_DATA_HOME.
func plainHome() (string, error) {
	return platformHome(func(name string) string {
		if name == "XDG_DATA_HOME" {
			return ""
		}
		return os.Getenv(name)
	})
}

// self is this program as other programs start it: the path that the shell found it by,
// which an update of a package keeps, rather than the file that a link there leads to.
func self() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(os.Args[0])
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return file, nil
	}
	a, aerr := os.Stat(file)
	b, berr := os.Stat(found)
	if aerr == nil && berr == nil && os.SameFile(a, b) {
		return found, nil
	}
	return file, nil
}
