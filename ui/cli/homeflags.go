package cli

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
)

// homeFlags returns the flags that make this program use the same home and settings when it
// is started from any folder and in any environment. Everything that is printed for other
// programs, or written into their settings, includes them.
func homeFlags(p *environment) (flags []string, err error) {
	home, err := p.homeFolder()
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return nil, err
	}
	if usual, err := defaultHome(); err != nil || home != usual {
		flags = append(flags, "--home", home)
	}
	if config := cmp.Or(p.config, os.Getenv("MEMEND_CONFIG")); config != "" {
		if config, err = filepath.Abs(config); err != nil {
			return nil, err
		}
		flags = append(flags, "--config", config)
	}
	if p.overrides.readOnlySet && p.overrides.readOnly {
		flags = append(flags, "--read-only")
	}
	return flags, nil
}

// defaultHome returns the home of a program that is started without flags or variables. A
// program started from a desktop menu may not have $XDG_DATA_HOME.
func defaultHome() (string, error) {
	return platformHome(func(name string) string {
		if name == "XDG_DATA_HOME" {
			return ""
		}
		return os.Getenv(name)
	})
}

// programPath returns the path by which other programs should start this program: the one that the
// shell found, which survives an update of the package, instead of the file that a link
// there points to.
func programPath() (string, error) {
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
